import { Affkit } from '@affkit/node';
import { afterEach, expect, test } from 'vitest';
import { migratedInMemory } from '../../core/test/support/migrated-sqlite.ts';
import { startTelemetry } from '../../core/test/support/telemetry.ts';
import { makeWorld, type World } from '../../core/test/support/world.ts';
import { startApp } from './start-app.ts';

let world: World;

afterEach(() => world.affkit.close());

test('a click and a sale are traced from the shop, through the SDK and the server, to the commit', async () => {
  const telemetry = startTelemetry();
  const { propagation, context } = telemetry.api;
  world = await makeWorld(await migratedInMemory(), {}, { telemetry: { api: telemetry.api } });
  const send = await startApp({ affkit: world.affkit });
  const traceContext = () => {
    const headers: Record<string, string> = {};
    propagation.inject(context.active(), headers);
    return headers;
  };
  const shop = new Affkit({
    token: world.token,
    baseUrl: 'http://localhost',
    fetch: (url, init) => send(new URL(url).pathname, init),
    traceContext,
  });
  telemetry.reset();
  await telemetry.inSpan('landing page', async () => {
    const body = JSON.stringify({ affiliate_url: 'https://shop.example/?aff=anna' });
    const reply = await send('/api/v1/track/click', { method: 'POST', body, headers: traceContext() });
    const { click_id } = (await reply.json()) as { click_id: string };
    await shop.lead({ click_id, customer_key: 'user-1' });
  });
  await telemetry.inSpan('checkout', () =>
    shop.sale({ transaction_id: 'order-1', amount_cents: 1999, customer_key: 'user-1' }),
  );

  /** Returns the names of the spans from the root to the span with this name. */
  const pathTo = (name: string): string[] => {
    const [span] = telemetry.spansOf(name);
    const parentId = span?.parentSpanContext?.spanId;
    const parent = telemetry.spans().find((one) => one.spanContext().spanId === parentId);
    return parent === undefined ? [name] : [...pathTo(parent.name), name];
  };
  expect(pathTo('commit clicks')).toEqual([
    'landing page',
    'POST /api/v1/track/click',
    'trackClick',
    'commit clicks',
  ]);
  expect(pathTo('commit leads')).toEqual([
    'landing page',
    'POST /api/v1/track/lead',
    'trackLead',
    'commit leads',
  ]);
  expect(pathTo('commit sales')).toEqual([
    'checkout',
    'POST /api/v1/track/sale',
    'trackSale',
    'commit sales',
  ]);
  const traces = ['landing page', 'checkout'].map(
    (root) => telemetry.spansOf(root)[0]?.spanContext().traceId,
  );
  expect(new Set(telemetry.spans().map((span) => span.spanContext().traceId))).toEqual(new Set(traces));
});
