import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listen } from '../../core/test/support/listen.ts';
import { runServer } from '../test/server-process.ts';

interface Received {
  readonly path: string;
  readonly body: string;
}

/** Starts a server that stores what is exported to it. */
async function startCollector() {
  const received: Received[] = [];
  const url = await listen(async (request, response) => {
    received.push({ path: request.url ?? '', body: await text(request) });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  return { url, received };
}

test('exports traces and metrics before the server stops', async () => {
  const collector = await startCollector();
  const server = runServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_NODE_RESOURCE_DETECTORS: 'none',
  });
  await server.send('/api/v1/track/click?email=private-visitor%40mail.test', {
    method: 'POST',
    body: JSON.stringify({ affiliate_url: 'https://shop.example/?aff=nobody' }),
    headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  });
  server.child.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  const bodyOf = (path: string) =>
    collector.received
      .filter((one) => one.path === path)
      .map(({ body }) => body)
      .join('\n');
  const traces = bodyOf('/v1/traces');
  for (const part of ['POST /api/v1/track/click', 'trackClick', 'a'.repeat(32), '"affkit"']) {
    expect(traces).toContain(part);
  }
  expect(traces).not.toMatch(/private-visitor|nobody/);
  const metrics = bodyOf('/v1/metrics');
  for (const name of ['http.server.request.duration', 'affkit.tracking.rejections', 'affkit.outbox.tasks']) {
    expect(metrics).toContain(name);
  }
});
