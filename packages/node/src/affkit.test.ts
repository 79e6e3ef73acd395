import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { makeClient, rejectionOf, SALE, TOKEN } from '../test/client.ts';
import { answer, type Reply } from '../test/msw-server.ts';
import { duplicateSale, RECORDED } from '../test/replies.ts';
import type { LeadInput, RefundInput, SaleInput } from './input/events.ts';

interface Fixture {
  readonly name: string;
  readonly request: { readonly path: string; readonly body: Record<string, unknown> };
  readonly response: { readonly status: number; readonly body: Record<string, unknown> };
}

const file = createRequire(import.meta.url).resolve('@affkit/protocol/fixtures/tracking.json');
const fixtures = JSON.parse(readFileSync(file, 'utf8')) as Fixture[];

function answerFixture(name: string): void {
  const fixture = fixtures.find((each) => each.name === name);
  if (fixture === undefined) throw new Error(`No fixture "${name}"`);
  const text = JSON.stringify(fixture.response.body)
    .replaceAll('"$integer"', '7')
    .replaceAll('"$string"', '"text"');
  answer([fixture.response.status, text, { 'x-request-id': 'req-1' }]);
}

const once = { requestId: 'req-1', attempts: 1 };

describe('the request', () => {
  test.each(['sale', 'refund', 'lead'] as const)(
    'of a %s is sent to its route with the token',
    async (operation) => {
      const { requests } = answer([200, RECORDED[operation]]);
      const { affkit } = makeClient({ baseUrl: 'https://affkit.test/base/' });
      if (operation === 'sale') await affkit.sale(SALE);
      if (operation === 'refund') await affkit.refund({ transaction_id: 'order-1' });
      if (operation === 'lead') await affkit.lead({ click_id: 'clk_1' });
      const [request] = requests;
      expect(requests).toHaveLength(1);
      expect(request?.url).toBe(`https://affkit.test/base/api/v1/track/${operation}`);
      expect(request?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
      expect(request?.headers.get('content-type')).toBe('application/json');
    },
  );

  test('contains the event without a default occurred_at, and is the same in every attempt', async () => {
    const { requests } = answer([503, ''], [503, ''], [200, RECORDED.sale]);
    const { affkit, delays } = makeClient();
    await affkit.sale(SALE);
    const bodies = await Promise.all(requests.map((request) => request.json()));
    expect(bodies).toEqual([SALE, SALE, SALE]);
    expect(delays).toEqual([250, 500]);
  });

  test('carries a new token from the token function in every attempt', async () => {
    const { requests } = answer([503, ''], [200, RECORDED.sale]);
    let calls = 0;
    const token = async () => `aff_number${++calls}`;
    const { affkit } = makeClient({ token });
    await affkit.sale(SALE);
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer aff_number1',
      'Bearer aff_number2',
    ]);
  });

  test('is not sent if the token function rejects or returns an invalid token', async () => {
    const { requests } = answer([200, RECORDED.sale]);
    const cause = new Error('vault sealed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
    const broken = makeClient({ token: () => Promise.reject(cause) });
    expect(await rejectionOf(broken.affkit.sale(SALE))).toMatchObject({
      name: 'AffkitConfigurationError',
      code: 'token_unavailable',
      message: 'The token function threw an error: vault sealed (ECONNREFUSED)',
      cause,
    });
    const wrong = makeClient({ token: () => 'affk_key' });
    expect(await rejectionOf(wrong.affkit.sale(SALE))).toMatchObject({ code: 'invalid_configuration' });
    expect(requests).toEqual([]);
  });

  test('is sent with the transport or fetch option', async () => {
    const seen: string[] = [];
    const reply = {
      status: 200,
      headers: new Headers(),
      text: async () => JSON.stringify({ ...RECORDED.sale, sale_id: 3 }),
    };
    const byTransport = makeClient({
      transport: async ({ method, url }) => {
        seen.push(`${method} ${url}`);
        return reply;
      },
    });
    expect(await byTransport.affkit.sale(SALE)).toMatchObject({ status: 'recorded', saleId: 3 });
    const byFetch = makeClient({
      fetch: async (url, { method, redirect }) => {
        seen.push(`${method} ${url} ${redirect}`);
        return Response.json({ ...RECORDED.sale, sale_id: 4 });
      },
    });
    expect(await byFetch.affkit.sale(SALE)).toMatchObject({ status: 'recorded', saleId: 4 });
    expect(seen).toEqual([
      'POST https://affkit.test/api/v1/track/sale',
      'POST https://affkit.test/api/v1/track/sale manual',
    ]);
  });

  test('is not sent if the input or a call option is invalid', async () => {
    const { requests } = answer([200, RECORDED.sale]);
    const { affkit } = makeClient();
    const typo = { ...SALE, amount: 5 };
    expect(await rejectionOf(affkit.sale(typo))).toMatchObject({
      name: 'AffkitValidationError',
      attempts: 0,
    });
    const options = { maxRetries: 2, retries: 5 };
    expect(await rejectionOf(affkit.sale(SALE, options))).toMatchObject({ name: 'AffkitConfigurationError' });
    expect(requests).toEqual([]);
  });
});

describe('with the replies of the protocol fixtures', () => {
  test('a sale resolves with the ids of the sale and its commission', async () => {
    answerFixture('a sale');
    expect(await makeClient().affkit.sale(SALE)).toEqual({
      status: 'recorded',
      saleId: 7,
      commissionId: 7,
      ...once,
    });
  });

  test('a repeated sale resolves with duplicate', async () => {
    answerFixture('the same sale again');
    const { affkit, logged } = makeClient();
    expect(await affkit.sale(SALE)).toEqual({
      status: 'duplicate',
      ownedByCaller: true,
      identical: true,
      saleId: 7,
      commissionId: 7,
      ...once,
    });
    expect(logged).toEqual([]);
  });

  test('a sale in test mode resolves with the test event', async () => {
    answerFixture('a sale in test mode');
    expect(await makeClient().affkit.sale({ additional_data: { test_mode: true } })).toEqual({
      status: 'recorded',
      testEvent: { eventId: 7, programId: 7 },
      ...once,
    });
  });

  test('a refund in test mode resolves with the test event', async () => {
    answerFixture('a refund in test mode');
    const refund = { transaction_id: 'test-1', additional_data: { test_mode: true } };
    expect(await makeClient().affkit.refund(refund)).toEqual({
      status: 'recorded',
      testEvent: { eventId: 7, programId: 7 },
      ...once,
    });
  });

  test('a lead resolves with recorded', async () => {
    answerFixture('a lead identified by its click');
    expect(await makeClient().affkit.lead({ click_id: 'clk_1' })).toEqual({ status: 'recorded', ...once });
  });

  test('a repeated lead resolves with duplicate', async () => {
    answerFixture('the same lead again');
    expect(await makeClient().affkit.lead({ click_id: 'clk_1' })).toEqual({ status: 'duplicate', ...once });
  });

  test('a partial refund resolves with the deducted amount', async () => {
    answerFixture('a partial refund');
    expect(await makeClient().affkit.refund({ transaction_id: 'order-1', refund_amount_cents: 999 })).toEqual(
      {
        status: 'recorded',
        outcome: 'refunded',
        deductionAmount: 2,
        commissionId: 7,
        ...once,
      },
    );
  });

  test('a second refund resolves with duplicate, and logs a warning only if it is partial', async () => {
    answerFixture('a second refund');
    const { affkit, logged } = makeClient();
    const expected = {
      status: 'duplicate',
      outcome: 'skipped',
      reason: 'already reversed',
      message: 'text',
      commissionId: 7,
      ...once,
    };
    expect(await affkit.refund({ transaction_id: 'order-1' })).toEqual(expected);
    expect(logged).toEqual([]);
    expect(await affkit.refund({ transaction_id: 'order-1', refund_amount_cents: 5 })).toEqual(expected);
    expect(logged).toMatchObject([{ level: 'warn', fields: { transactionId: 'order-1' } }]);
  });

  test.each([
    ['a sale without a token', 'AffkitAuthenticationError', 'authorization_missing', 401],
    ['a refund of an unknown sale', 'AffkitNotFoundError', 'sale_not_found', 404],
    ['a lead without an identifier', 'AffkitValidationError', 'lead_identifier_required', 400],
  ])('%s throws an %s', async (fixture, name, code, status) => {
    answerFixture(fixture);
    const { affkit } = makeClient();
    const call = fixture.includes('lead') ? affkit.lead({ click_id: 'clk_1' }) : affkit.sale(SALE);
    expect(await rejectionOf(call)).toMatchObject({ name, code, status, ...once, retryable: false });
  });
});

describe('a customer without a partner', () => {
  const unattributed = (code: string): Reply => [
    400,
    { error: 'Not found', code },
    { 'x-request-id': 'req-1' },
  ];

  test.each([
    'sale_customer_not_found',
    'no_affiliate_attribution',
    'no_partner_program',
    'partner_required',
  ])('makes a sale resolve as unattributed with the code %s', async (code) => {
    answer(unattributed(code));
    const { affkit, logged } = makeClient();
    expect(await affkit.sale(SALE)).toEqual({ status: 'unattributed', code, ...once });
    expect(logged).toEqual([]);
  });

  test.each(['lead_customer_not_found', 'customer_of_other_program'])(
    'makes a lead resolve as unattributed with the code %s',
    async (code) => {
      answer(unattributed(code));
      const lead = makeClient().affkit.lead({ click_id: undefined, customer_key: 'user-1' });
      expect(await lead).toEqual({ status: 'unattributed', code, ...once });
    },
  );

  test('makes a sale or lead throw if throwOnUnattributed is set', async () => {
    answer(unattributed('sale_customer_not_found'), unattributed('lead_customer_not_found'));
    const { affkit } = makeClient({ throwOnUnattributed: true });
    for (const call of [affkit.sale(SALE), affkit.lead({ customer_key: 'user-1' })]) {
      expect(await rejectionOf(call)).toMatchObject({ name: 'AffkitValidationError', status: 400 });
    }
  });

  test('a refund that finds no sale throws, because the sale may still arrive', async () => {
    answer([404, { error: 'Sale not found', code: 'sale_not_found' }]);
    const refund = makeClient().affkit.refund({ transaction_id: 'order-1' });
    expect(await rejectionOf(refund)).toMatchObject({ code: 'sale_not_found' });
  });

  test('the error code for an unknown customer makes a sale throw if the status is not 400', async () => {
    answer([403, { error: 'x', code: 'sale_customer_not_found' }]);
    expect(await rejectionOf(makeClient().affkit.sale(SALE))).toMatchObject({ status: 403 });
  });

  test('a reply with status 400 and no error code makes a sale throw', async () => {
    const { requests } = answer([400, { error: 'Customer not found. Provide customer_key or click_id.' }]);
    expect(await rejectionOf(makeClient().affkit.sale(SALE))).toMatchObject({ code: 'http_400' });
    expect(requests).toHaveLength(1);
  });
});

describe('a sale that already exists', () => {
  test('resolves with ownedByCaller: false, logs an error, and calls the hook if another program owns the sale', async () => {
    const body = { error: 'Duplicate', message: 'Duplicate', statusCode: 409, code: 'transaction_id_taken' };
    answer([409, body, { 'x-request-id': 'req-1', 'x-should-retry': 'true' }]);
    const { affkit, logged, taken } = makeClient();
    expect(await affkit.sale(SALE)).toEqual({ status: 'duplicate', ownedByCaller: false, ...once });
    expect(taken).toEqual(['order-1']);
    expect(logged).toMatchObject([
      { level: 'error', fields: { transactionId: 'order-1', requestId: 'req-1' } },
    ]);
  });

  test('resolves with duplicate and logs a warning if the data of the two sales differs', async () => {
    const more = { sale_id: 1, commission_id: null, identical: false };
    answer([409, duplicateSale('duplicate_transaction', more)]);
    const { affkit, logged } = makeClient();
    expect(await affkit.sale(SALE)).toEqual({
      status: 'duplicate',
      ownedByCaller: true,
      saleId: 1,
      commissionId: null,
      identical: false,
      requestId: 'req-0',
      attempts: 1,
    });
    expect(logged).toMatchObject([{ level: 'warn', fields: { transactionId: 'order-1', saleId: 1 } }]);
  });

  test.each([
    { error: 'Duplicate transaction_id. This sale has already been recorded.' },
    { error: 'Conflict', message: 'This sale exists', statusCode: 409 },
  ])('is recognized by the documented body %j of a server that sends no error codes', async (body) => {
    answer([409, body]);
    expect(await makeClient().affkit.sale(SALE)).toEqual({
      status: 'duplicate',
      requestId: undefined,
      attempts: 1,
    });
  });

  test('resolves with duplicate if the first request recorded the sale but was answered with 500', async () => {
    answer(
      [500, { error: 'Failed to create commission' }],
      [409, duplicateSale('duplicate_transaction', { identical: true })],
    );
    expect(await makeClient().affkit.sale(SALE)).toMatchObject({ status: 'duplicate', attempts: 2 });
  });
});

test('a repeated lead is recognized by its error text if the server sends no error codes', async () => {
  answer([400, { error: 'Customer status cannot be updated to lead. Current status: conversion' }]);
  expect(await makeClient().affkit.lead({ click_id: 'clk_1' })).toMatchObject({ status: 'duplicate' });
});

describe('a reply with status 200', () => {
  test('a sale that earns no commission resolves with the reason', async () => {
    answer([200, { ...RECORDED.sale, commission_id: null, reason: 'window_expired' }]);
    expect(await makeClient().affkit.sale(SALE)).toMatchObject({
      commissionId: null,
      reason: 'window_expired',
    });
  });

  test('a refund of a sale without a commission resolves with the outcome no_commission', async () => {
    answer([200, { success: true, status: 'no_commission', message: 'None' }]);
    expect(await makeClient().affkit.refund({ transaction_id: 'a' })).toEqual({
      status: 'recorded',
      outcome: 'no_commission',
      requestId: undefined,
      attempts: 1,
    });
  });
});

test('every protocol fixture that the server accepts passes the input validation', async () => {
  const checked: string[] = [];
  for (const { name, request, response } of fixtures) {
    const operation = request.path.split('/').at(-1);
    const isAccepted =
      response.status !== 401 &&
      !['a lead without an identifier', 'a sale without a customer'].includes(name);
    if (!isAccepted) continue;
    if (operation !== 'sale' && operation !== 'lead' && operation !== 'refund') continue;
    const { requests } = answer([200, RECORDED[operation]]);
    const { affkit } = makeClient();
    // The compiler cannot check these casts. read-input.test.ts compares the input types with the protocol.
    if (operation === 'sale') await affkit.sale(request.body as unknown as SaleInput);
    if (operation === 'lead') await affkit.lead(request.body as unknown as LeadInput);
    if (operation === 'refund') await affkit.refund(request.body as unknown as RefundInput);
    expect(await requests[0]?.json()).toMatchObject(request.body);
    checked.push(name);
  }
  expect(checked.length).toBeGreaterThanOrEqual(7);
});

describe('waitUntil', () => {
  test('receives a promise for every call, and this promise never rejects', async () => {
    answer([200, RECORDED.sale], [400, { error: 'no', code: 'invalid_field' }]);
    const promises: Promise<unknown>[] = [];
    const { affkit } = makeClient({ waitUntil: (promise) => promises.push(promise) });
    await affkit.sale(SALE);
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({ status: 400 });
    expect(promises).toHaveLength(2);
    await Promise.all(promises);
  });

  test.each([
    [
      'throws',
      () => {
        throw new TypeError('Illegal invocation');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('Illegal invocation'))],
  ])('does not affect the call if the function %s, but the error is logged', async (_how, waitUntil) => {
    const { requests } = answer([200, RECORDED.sale]);
    const { affkit, logged } = makeClient({ waitUntil });
    expect(await affkit.sale(SALE)).toMatchObject({ status: 'recorded' });
    expect(requests).toHaveLength(1);
    const fields = { hook: 'waitUntil', error: 'TypeError: Illegal invocation' };
    expect(logged).toEqual([{ level: 'error', message: 'The hook waitUntil threw an error', fields }]);
  });
});
