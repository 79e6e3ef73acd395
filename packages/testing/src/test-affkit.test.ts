import { Affkit, type AffkitOptions, systemRuntime } from '@affkit/node';
import { http } from 'msw/http';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestAffkit, type Fault, type TestAffkit, TestAffkitError, type TestPartner } from './index.ts';

const msw = setupServer();
let server: TestAffkit;
let partner: TestPartner;

beforeAll(() => msw.listen({ onUnhandledFrame: 'error' }));
afterAll(() => msw.close());
beforeEach(async () => {
  server = await createTestAffkit({ startAt: new Date('2026-03-01T12:00:00Z') });
  partner = await server.partner();
  msw.use(...server.handlers(http));
});
afterEach(async () => {
  msw.resetHandlers();
  await server.close();
});

/** Creates a client whose retries have no delay. */
function makeClient(options: AffkitOptions = {}): Affkit {
  const setTimer: typeof systemRuntime.setTimer = (delayMs, onElapsed) =>
    systemRuntime.setTimer(delayMs < 10_000 ? 0 : delayMs, onElapsed);
  return new Affkit({
    token: server.token,
    baseUrl: server.baseUrl,
    runtime: { ...systemRuntime, now: server.clock.now, setTimer },
    logLevel: 'off',
    ...options,
  });
}

const SALE = { transaction_id: 'order-1', amount_cents: 10_000, customer_key: 'user-1' };

async function signUp(affkit: Affkit): Promise<void> {
  await affkit.lead({ click_id: await partner.click(), customer_key: 'user-1' });
}

test('logs server warnings to the console', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  await server.close();
  const response = await server.fetch(`${server.baseUrl}/api/v1/marketplace/programs`);
  expect(response.status).toBe(503);
  expect(warn.mock.calls).toEqual([['affkit: answered 503: The database is closed', expect.anything()]]);
  warn.mockRestore();
});

describe('the tracking rules', () => {
  test('a click, a lead and a sale create a commission', async () => {
    const affkit = makeClient();
    await signUp(affkit);
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', commissionId: expect.any(Number) });
    expect(await partner.balanceCents()).toBe(2_000);
    expect(await server.commissions()).toMatchObject([
      { transaction_id: 'order-1', partner_id: partner.id, amount_cents: 2_000, currency: 'USD' },
    ]);
  });

  test('a repeated sale is a duplicate', async () => {
    const affkit = makeClient();
    await signUp(affkit);
    await affkit.sale(SALE);
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'duplicate', ownedByCaller: true });
    expect(await partner.balanceCents()).toBe(2_000);
  });

  test('a sale after the attribution window creates no commission', async () => {
    const affkit = makeClient();
    await signUp(affkit);
    await server.clock.advance({ days: 31 });
    expect(await affkit.sale(SALE)).toMatchObject({ commissionId: null, reason: 'window_expired' });
    expect(await server.commissions()).toEqual([]);
  });

  test('a partial refund deducts its part of the commission', async () => {
    const affkit = makeClient();
    await signUp(affkit);
    await affkit.sale(SALE);
    expect(await affkit.refund({ transaction_id: 'order-1', refund_amount_cents: 5_000 })).toMatchObject({
      outcome: 'refunded',
    });
    expect(await partner.balanceCents()).toBe(1_000);
  });

  test('a sale of a customer without partner is unattributed', async () => {
    expect(await makeClient().sale(SALE)).toMatchObject({
      status: 'unattributed',
      code: 'sale_customer_not_found',
    });
  });

  test('the options baseUrl and program are used', async () => {
    const other = await createTestAffkit({
      baseUrl: 'https://other.test/base/',
      program: { commission: { type: 'flat', amount_cents: 700 }, hold_days: 14 },
    });
    const code = (await other.partner({ name: 'Ann', code: 'ann' })).code;
    expect([other.baseUrl, code]).toEqual(['https://other.test/base', 'ann']);
    expect(await other.manage('GET', `/api/advertiser/affiliate-programs/${other.programId}`)).toMatchObject({
      data: { hold_days: 14 },
    });
    await other.close();
  });

  test('advancing the clock approves commissions whose hold has ended', async () => {
    await server.manage('PUT', `/api/advertiser/affiliate-programs/${server.programId}`, { hold_days: 14 });
    const affkit = makeClient();
    await signUp(affkit);
    await affkit.sale(SALE);
    expect(await server.commissions()).toMatchObject([{ status: 'pending' }]);
    await server.clock.advance({ days: 14, hours: 1 });
    expect(await server.commissions()).toMatchObject([{ status: 'approved' }]);
  });

  test('reconcile sends the missing sales', async () => {
    const affkit = makeClient();
    await signUp(affkit);
    await affkit.sale(SALE);
    const occurred_at = new Date(server.clock.now()).toISOString();
    const found = await affkit.reconcile({
      since: new Date(server.clock.now()),
      list: () => ['order-1', 'order-2'].map((transaction_id) => ({ ...SALE, transaction_id, occurred_at })),
    });
    expect(found).toEqual({
      checked: 2,
      existing: 1,
      sent: 1,
      unattributed: 0,
      refusedCount: 0,
      refused: [],
    });
  });
});

describe('faults', () => {
  test('two failed connections cause two retries', async () => {
    const affkit = makeClient();
    await signUp(affkit);
    server.faults.add({ kind: 'unreachable' }, 2);
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', attempts: 3 });
  });

  test('a lost reply makes the retry a duplicate, and the partner is credited once', async () => {
    const affkit = makeClient();
    await signUp(affkit);
    server.faults.add({ kind: 'lost_reply' });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'duplicate', identical: true, attempts: 2 });
    expect(await partner.balanceCents()).toBe(2_000);
  });

  test('a simulated response, with its Retry-After, replaces the response of the server', async () => {
    const delays: number[] = [];
    const affkit = makeClient({ hooks: { onRetry: ({ delayMs }) => delays.push(delayMs) } });
    await signUp(affkit);
    server.faults.add({ kind: 'reply', status: 429, retryAfter: 3 });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', attempts: 2 });
    expect(delays).toEqual([3_000]);
  });

  test.each([
    [204, 'AffkitUnexpectedReplyError'],
    [205, 'AffkitUnexpectedReplyError'],
    [304, 'AffkitConfigurationError'],
  ])('a simulated response with status %i has no body', async (status, name) => {
    server.faults.add({ kind: 'reply', status });
    await expect(makeClient().sale(SALE, { maxRetries: 0 })).rejects.toMatchObject({ name, status });
  });

  test('the fault `silence` lasts until the timeout of the client', async () => {
    const affkit = makeClient({ timeoutMs: 50 });
    server.faults.add({ kind: 'silence' });
    await expect(affkit.sale(SALE, { maxRetries: 0 })).rejects.toMatchObject({ code: 'timeout' });
  });

  test('a fault added with `always` affects every request until `clear`', async () => {
    const affkit = makeClient();
    await signUp(affkit);
    server.faults.always({ kind: 'unreachable' });
    await expect(affkit.sale(SALE)).rejects.toMatchObject({ name: 'AffkitConnectionError' });
    server.faults.clear();
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', attempts: 1 });
  });
});

test("works without msw if the client uses the test server's `fetch`", async () => {
  msw.resetHandlers();
  const affkit = makeClient({ fetch: server.fetch });
  await signUp(affkit);
  server.faults.add({ kind: 'unreachable' });
  expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded', attempts: 2 });
});

test('rejects invalid durations, faults and requests', async () => {
  await expect(server.clock.advance({ ms: -1 })).rejects.toThrow('only moves forward, got -1 ms');
  const misspelled = { day: 3, hours: 1 };
  await expect(server.clock.advance(misspelled)).rejects.toThrow(
    'Unknown unit of time day. Valid units: days,',
  );
  const unknown = { kind: 'timeout' } as unknown as Fault;
  expect(() => server.faults.add(unknown)).toThrow('Unknown fault kind timeout. Valid kinds: unreachable,');
  expect(() => server.faults.always(unknown)).toThrow('Unknown fault kind timeout');
  await expect(server.manage('GET', '/api/nothing')).rejects.toThrow('failed with status 404: Not found');
  const click = partner.click({ affiliate_url: 'https://shop.test/?aff=nobody' });
  const message = 'The server rejected the click: Referral link not found';
  await expect(click).rejects.toThrow(new TestAffkitError(message));
  await expect(click).rejects.toBeInstanceOf(TestAffkitError);
});
