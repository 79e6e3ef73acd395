import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenTelemetryApi } from '@affkit/core';
import { ConfigError } from './config-error.ts';

/** The variables that start OpenTelemetry. All other `OTEL_` variables only configure it. */
const SWITCHES = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
] as const;

const PACKAGES = '@opentelemetry/api @opentelemetry/sdk-node';
/** The time limit for sending the last spans when the server stops. */
const STOP_TIMEOUT_MS = 3_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** OpenTelemetry, with the SDK that sends traces and metrics. */
interface OpenTelemetry {
  readonly api: OpenTelemetryApi;
  /** Sends the remaining traces and metrics, for at most three seconds. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Starts the OpenTelemetry SDK if a standard variable such as `OTEL_EXPORTER_OTLP_ENDPOINT` is set. The packages are
 * loaded only then, because most servers do not install them.
 * @param load imports a package; replaced in tests
 * @returns undefined if OpenTelemetry is off
 * @throws ConfigError when the packages are not installed
 */
export async function startOpenTelemetry(
  env: Environment = process.env,
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<OpenTelemetry | undefined> {
  const variable = SWITCHES.find((name) => isSet(env[name]));
  if (variable === undefined || env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return undefined;
  const { api, sdk } = await loadPackages(variable, load);
  const node = new sdk.NodeSDK({
    ...(!hasServiceName(env) && { serviceName: 'affkit' }),
    // Affkit sends no logs to OpenTelemetry, so the SDK needs no exporter for them.
    ...(!isSet(env['OTEL_LOGS_EXPORTER']) && { logRecordProcessors: [] }),
  });
  node.start();
  return {
    api,
    stop: async () => {
      // The server must stop even if the collector is unavailable.
      await Promise.race([
        node.shutdown().catch(() => {}),
        sleep(STOP_TIMEOUT_MS, undefined, { ref: false }),
      ]);
    },
  };
}

async function loadPackages(variable: string, load: (name: string) => Promise<unknown>) {
  try {
    return {
      api: (await load('@opentelemetry/api')) as typeof import('@opentelemetry/api'),
      sdk: (await load('@opentelemetry/sdk-node')) as typeof import('@opentelemetry/sdk-node'),
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(variable, `requires two packages. Install them: npm install ${PACKAGES}`);
  }
}

function hasServiceName(env: Environment): boolean {
  return isSet(env['OTEL_SERVICE_NAME']) || (env['OTEL_RESOURCE_ATTRIBUTES'] ?? '').includes('service.name=');
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}
