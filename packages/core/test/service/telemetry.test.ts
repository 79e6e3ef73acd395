import * as openTelemetry from '@opentelemetry/api';
import { AlwaysOffSampler, ParentBasedSampler } from '@opentelemetry/sdk-trace';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import { METRICS } from '../../src/telemetry/metrics.ts';
import type { OpenTelemetryApi } from '../../src/telemetry/open-telemetry.ts';
import { migratedInMemory } from '../support/migrated-sqlite.ts';
import { startTelemetry } from '../support/telemetry.ts';
import { createTestMailer } from '../support/test-mailer.ts';
import { makeWorld, signInOwner, type World } from '../support/world.ts';

const CLICK = '/api/v1/track/click';
const CALLER = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const TRACEPARENT = { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` };

let world: World;
let telemetry: ReturnType<typeof startTelemetry>;

const open = async (options: Parameters<typeof startTelemetry>[0] = {}) => {
  telemetry = startTelemetry(options);
  world = await makeWorld(await migratedInMemory(), {}, { telemetry: { api: telemetry.api } });
  telemetry.reset();
};
const click = (headers = {}, code = 'anna') =>
  world.call(
    'POST',
    CLICK,
    { affiliate_url: `https://shop.example/?aff=${code}&email=eve@mail.test` },
    headers,
  );

afterEach(() => world.affkit.close());

test('accepts the module @opentelemetry/api', async () => {
  await open();
  expectTypeOf(openTelemetry).toExtend<OpenTelemetryApi>();
});

describe('spans', () => {
  test('the spans from the request to the commit continue the trace of the caller', async () => {
    await open();
    expect((await click(TRACEPARENT)).status).toBe(200);
    const [request] = telemetry.spansOf(`POST ${CLICK}`);
    const [useCase] = telemetry.spansOf('trackClick');
    const [commit] = telemetry.spansOf('commit clicks');
    expect(telemetry.spans().map((span) => span.spanContext().traceId)).toEqual(
      telemetry.spans().map(() => CALLER.traceId),
    );
    expect(request?.parentSpanContext?.spanId).toBe(CALLER.spanId);
    expect(useCase?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect(commit?.parentSpanContext?.spanId).toBe(useCase?.spanContext().spanId);
    expect(request).toMatchObject({
      kind: openTelemetry.SpanKind.SERVER,
      attributes: {
        'http.request.method': 'POST',
        'http.route': CLICK,
        'http.response.status_code': 200,
        'url.scheme': 'https',
      },
    });
  });

  test('if traceparent contains several spans, the innermost one is the parent of the request span', async () => {
    await open();
    const inner = `00-${CALLER.traceId}-${'c'.repeat(16)}-01`;
    await click({ traceparent: `${TRACEPARENT.traceparent}, ${inner}` });
    const [request] = telemetry.spansOf(`POST ${CLICK}`);
    expect(request?.parentSpanContext?.spanId).toBe('c'.repeat(16));
  });

  test('the request span is a child of the active span of the embedding app', async () => {
    await open();
    await telemetry.inSpan('app', () => click(TRACEPARENT));
    const [app] = telemetry.spansOf('app');
    const [request] = telemetry.spansOf(`POST ${CLICK}`);
    expect(request?.parentSpanContext?.spanId).toBe(app?.spanContext().spanId);
    expect(request?.kind).toBe(openTelemetry.SpanKind.INTERNAL);
  });

  test('the span of a batch and the spans of the requests in it link to each other', async () => {
    await open();
    await Promise.all([click(), click(), click()]);
    const useCases = telemetry.spansOf('trackClick').map((span) => span.spanContext().spanId);
    const commits = telemetry.spansOf('commit clicks');
    const linked = commits.flatMap(({ links }) => links.map(({ context }) => context.spanId));
    expect(linked.toSorted()).toEqual(useCases.toSorted());
    const sizes = commits.map(({ attributes }) => attributes['affkit.batch.size']);
    expect(sizes.reduce<number>((sum, size) => sum + Number(size), 0)).toBe(3);
    expect(Math.max(...sizes.map(Number))).toBeGreaterThan(1);
    for (const useCase of telemetry.spansOf('trackClick')) {
      const ids = commits.map((commit) => commit.spanContext().spanId);
      expect(ids).toContain(useCase.links[0]?.context.spanId);
    }
  });

  test('a batch gets no span if none of its requests is sampled', async () => {
    await open({ sampler: new ParentBasedSampler({ root: new AlwaysOffSampler() }) });
    await click();
    expect(telemetry.spans()).toEqual([]);
    await Promise.all([click(), click(TRACEPARENT)]);
    expect(telemetry.spansOf('commit clicks')).toHaveLength(1);
  });

  test('spans contain route templates, but no ids, queries, tokens, or email addresses', async () => {
    await open();
    const { authorization } = await signInOwner(world);
    await click();
    const program = `/api/advertiser/affiliate-programs/${world.program.id}`;
    await world.call('GET', `${program}/partners?q=eve%40mail.test`, undefined, { authorization });
    await world.call('POST', '/api/auth/login', { email: 'eve@mail.test', password: 'a secret text' });
    const [list] = telemetry.spansOf('GET /api/advertiser/affiliate-programs/:id/partners');
    expect(list?.attributes['http.response.status_code']).toBe(200);
    const texts = telemetry
      .spans()
      .map(({ name, attributes, events, status }) => JSON.stringify([name, attributes, events, status]))
      .join('\n');
    expect(texts).not.toMatch(/eve|secret text|aff_|affs_|\?|203\.0\.113/);
    expect(texts).not.toContain(authorization.slice('Bearer '.length));
    expect(texts).not.toContain(`affiliate-programs/${world.program.id}`);
  });

  test('the span of a rejected request contains the error code', async () => {
    await open();
    await click({}, 'nobody');
    const [useCase] = telemetry.spansOf('trackClick');
    expect(useCase?.attributes['affkit.error_code']).toBe('referral_link_not_found');
  });

  test('a job gets spans only if it does something', async () => {
    await open();
    await world.affkit.jobs.runOnce();
    telemetry.reset();
    await world.affkit.jobs.runOnce();
    expect(telemetry.spans().map(({ name }) => name)).toEqual([]);
    const click_id = await world.click('anna');
    await world.track('sale', { transaction_id: 'order-1', amount_cents: 1999, click_id });
    telemetry.reset();
    await world.affkit.jobs.runOnce();
    const [seal] = telemetry.spansOf('job sealLedgers');
    const writes = telemetry.spansOf('write').map((span) => span.parentSpanContext?.spanId);
    expect(writes).toContain(seal?.spanContext().spanId);
  });

  test('the span of an email contains its kind, but not the recipient', async () => {
    telemetry = startTelemetry();
    const mailer = createTestMailer();
    world = await makeWorld(
      await migratedInMemory(),
      {},
      { telemetry: { api: telemetry.api }, mailer, publicUrl: 'https://affiliates.example' },
    );
    await world.affkit.jobs.runOnce();
    const emails = telemetry.spansOf('send email').map(({ attributes }) => attributes);
    expect(emails).toContainEqual({ 'affkit.email.kind': 'partner_invitation' });
    expect(mailer.accepted).toHaveLength(emails.length);
    expect(await telemetry.metric('affkit.email.attempts')).toEqual({
      '{"outcome":"succeeded"}': emails.length,
    });
  });

  test('an email that cannot be composed counts as a retried attempt', async () => {
    telemetry = startTelemetry();
    const options = { telemetry: { api: telemetry.api }, mailer: createTestMailer() };
    world = await makeWorld(
      await migratedInMemory(),
      {},
      { ...options, publicUrl: 'https://affiliates.example' },
    );
    // A newer version of Affkit has stored the emails.
    const { numUpdatedRows } = await world.engine.write(0, (tx) =>
      tx.db
        .updateTable('emails')
        .set({ kind: 'newer' as 'test' })
        .executeTakeFirstOrThrow(),
    );
    await world.affkit.jobs.runOnce();
    expect(await telemetry.metric('affkit.email.attempts')).toEqual({
      '{"outcome":"retried"}': Number(numUpdatedRows),
    });
  });
});

describe('metrics', () => {
  test('count requests, batches, rejections, and job runs', async () => {
    await open();
    await click();
    await click({}, 'nobody');
    await world.call('POST', '/api/v1/track/sale', {}, { authorization: 'Bearer aff_wrong' });
    await world.affkit.jobs.runOnce();
    const duration = await telemetry.metric('http.server.request.duration');
    expect(
      duration[
        JSON.stringify({
          'http.request.method': 'POST',
          'http.route': CLICK,
          'url.scheme': 'https',
          'http.response.status_code': 200,
        })
      ],
    ).toBe(1);
    expect(await telemetry.metric('affkit.batch.size')).toMatchObject({ '{"batch":"clicks"}': 2 });
    expect(await telemetry.metric('affkit.tracking.rejections')).toEqual({
      '{"route":"click","code":"referral_link_not_found"}': 1,
      '{"route":"sale","code":"token_invalid"}': 1,
    });
    const runs = await telemetry.metric('affkit.job.runs');
    expect(runs['{"job_name":"drainOutbox","outcome":"succeeded"}']).toBeGreaterThan(0);
  });

  test('metrics show the work that waits for jobs', async () => {
    await open();
    const click_id = await world.click('anna');
    await world.track('sale', { transaction_id: 'order-1', amount_cents: 1999, click_id });
    const row = {
      kind: 'repair_totals',
      program_id: world.program.id,
      subject_id: 1,
      payload: '{}',
    } as const;
    const times = { run_at: world.clock.now, created_at: world.clock.now };
    await world.engine.write(1, ({ db }) =>
      db
        .insertInto('outbox')
        .values([
          { ...row, ...times, attempts: 0 },
          { ...row, ...times, subject_id: 2, attempts: 3 },
        ])
        .execute(),
    );
    world.clock.now += 60_000;
    expect(await telemetry.metric('affkit.ledger.unsealed_oldest_age')).toEqual({ '{}': 60 });
    expect(await telemetry.metric('affkit.outbox.tasks')).toEqual({ '{}': 2 });
    expect(await telemetry.metric('affkit.outbox.oldest_age')).toEqual({ '{}': 60 });
    expect(await telemetry.metric('affkit.outbox.failing_tasks')).toEqual({ '{}': 1 });
    expect(await telemetry.metric('affkit.webhook.queued')).toEqual({ '{}': 0 });
  });

  test('metrics are passed to a callback of the embedding app; an error of the callback does not fail a request', async () => {
    const measured: string[] = [];
    const measure = (metric: string) => {
      measured.push(metric);
      throw new Error('no registry');
    };
    telemetry = startTelemetry();
    world = await makeWorld(await migratedInMemory(), {}, { telemetry: { measure, api: telemetry.api } });
    expect((await click()).status).toBe(200);
    expect(measured).toEqual(['affkit.batch.size', 'affkit.batch.duration']);
    expect(await telemetry.metric('affkit.batch.size')).toEqual({ '{"batch":"clicks"}': 1 });
  });

  test('have bounded labels', () => {
    const labels = new Set(
      Object.values(METRICS).flatMap((metric) => ('labels' in metric ? metric.labels : [])),
    );
    expect([...labels].toSorted()).toEqual([
      'batch',
      'code',
      'job_name',
      'outcome',
      'provider',
      'route',
      'state',
    ]);
  });
});
