import { expect, test } from 'vitest';
import { startOpenTelemetry } from './open-telemetry.ts';

const unexpected = (name: string): Promise<unknown> => {
  throw new Error(`loaded ${name}`);
};
const missing = async (name: string): Promise<unknown> => {
  throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
};

test.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
  { OTEL_SERVICE_NAME: 'shop' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_SDK_DISABLED: 'true' },
])('does not load OpenTelemetry with %j', async (env) => {
  expect(await startOpenTelemetry(env, unexpected)).toBeUndefined();
});

test.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_METRICS_EXPORTER'])(
  'with %s and without the packages, throws an error that says how to install them',
  async (variable) => {
    await expect(startOpenTelemetry({ [variable]: 'http://localhost:4318' }, missing)).rejects.toThrow(
      `${variable} requires two packages. Install them: npm install @opentelemetry/api @opentelemetry/sdk-node`,
    );
  },
);
