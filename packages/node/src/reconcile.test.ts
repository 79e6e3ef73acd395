import { expect, test } from 'vitest';
import { makeClient, rejectionOf, SALE } from '../test/client.ts';
import { fakeServer } from '../test/fake-server.ts';
import { duplicateSale } from '../test/replies.ts';
import type { ListedSale, ReconcileOptions } from './reconcile.ts';

const since = new Date('2026-02-01T00:00:00Z');
const listed = (transaction_id: string): ListedSale => ({
  ...SALE,
  transaction_id,
  occurred_at: '2026-02-10T10:00:00Z',
});

function begin() {
  const server = fakeServer();
  return { server, ...makeClient({ transport: server.transport, maxRetries: 0 }) };
}

test('sends the missing sales with their occurred_at and skips the existing ones', async () => {
  const { affkit, server } = begin();
  await affkit.sale(SALE);
  const requestedSince: Date[] = [];
  const list = (from: Date) => {
    requestedSince.push(from);
    return [listed('order-1'), listed('order-2'), listed('order-3')];
  };
  expect(await affkit.reconcile({ since, list })).toEqual({
    checked: 3,
    existing: 1,
    sent: 2,
    unattributed: 0,
    refusedCount: 0,
    refused: [],
  });
  expect(requestedSince).toEqual([since]);
  expect(server.recorded.slice(1)).toEqual([listed('order-2'), listed('order-3')]);
  expect(await affkit.reconcile({ since, list })).toMatchObject({ existing: 3, sent: 0 });
});

test('accepts an async iterable and looks up 1,000 ids per request', async () => {
  const { affkit, server } = begin();
  async function* list() {
    for (let count = 0; count < 2_001; count += 1) yield listed(`order-${count}`);
  }
  expect(await affkit.reconcile({ since, list })).toMatchObject({ checked: 2_001, sent: 2_001 });
  expect(server.log.filter((line) => line.startsWith('exists'))).toEqual([
    'exists 1000 200',
    'exists 1000 200',
    'exists 1 200',
  ]);
});

async function* generate<T>(...items: T[]) {
  yield* items;
}

test.each<[string, ReconcileOptions['list']]>([
  ['an array of sales', ['a', 'b', 'c'].map(listed)],
  ['an async iterable of sales', generate(...['a', 'b', 'c'].map(listed))],
  ['an async iterable of pages', generate([listed('a'), listed('b')], [], [listed('c')])],
  ['a function that returns pages', () => [[listed('a')], [listed('b'), listed('c')]]],
  ['an array of ids', ['a', 'b', 'c']],
  ['an async iterable of pages of ids', generate(['a', 'b'], ['c'])],
  ['a function that returns an async iterable of ids', async () => generate('a', 'b', 'c')],
  [
    'a function that takes a cursor',
    async (_since, cursor) =>
      cursor === undefined ? { items: ['a', 'b'], next: 'b' } : { items: ['c'], next: null },
  ],
])('accepts %s', async (_what, list) => {
  const { affkit, server } = begin();
  await affkit.sale({ ...SALE, transaction_id: 'b' });
  const load = (ids: readonly string[]) => ids.map(listed).toReversed();
  // The cast is needed because the lists of these cases have items of different types.
  const options = { since, list, load } as ReconcileOptions;
  expect(await affkit.reconcile(options)).toMatchObject({
    checked: 3,
    existing: 1,
    sent: 2,
    refusedCount: 0,
  });
  expect(server.recorded.slice(1)).toEqual([listed('a'), listed('c')]);
});

test('reads a page only after the sales of the earlier pages were sent', async () => {
  const { affkit, server } = begin();
  const recordedAtPage: number[] = [];
  const list = async (_since: Date, cursor = '0') => {
    recordedAtPage.push(server.recorded.length);
    const page = Number(cursor);
    const items = Array.from({ length: 1_000 }, (_, index) => `order-${page * 1_000 + index}`);
    return { items, next: page < 3 ? `${page + 1}` : undefined };
  };
  const loaded: number[] = [];
  const load = (ids: readonly string[]) => {
    loaded.push(ids.length);
    return ids.map(listed);
  };
  expect(await affkit.reconcile({ since, list, load })).toMatchObject({ checked: 4_000, sent: 4_000 });
  expect(recordedAtPage).toEqual([0, 1_000, 2_000, 3_000]);
  expect(loaded).toEqual(Array.from({ length: 40 }, () => 100));
});

test('counts all sales that are refused or not loaded, and returns the first 1,000', async () => {
  const { affkit, server } = begin();
  server.fault = (operation) =>
    operation === 'sale' ? [400, { error: 'No', code: 'invalid_amount' }] : undefined;
  const list = Array.from({ length: 1_200 }, (_, index) => `order-${index}`);
  const load = (ids: readonly string[]) => ids.filter((id) => id !== 'order-7').map(listed);
  const { refused, refusedCount } = await affkit.reconcile({ since, list, load });
  expect([refused.length, refusedCount]).toEqual([1_000, 1_200]);
  expect(refused[7]).toMatchObject({
    transactionId: 'order-7',
    error: { message: 'load returned no sale with the transaction_id order-7' },
  });
});

test.each<[string, unknown, string]>([
  ['an array with null', [null], 'Each listed sale must have a transaction_id'],
  [
    'a function that returns the cursor with which it was called',
    () => ({ items: [], next: 'x' }),
    'list was called with the cursor x and returned the same cursor, so the listing would never end',
  ],
])('throws for %s', async (_what, list, message) => {
  const { affkit } = begin();
  const options = { since, list } as ReconcileOptions;
  expect(await rejectionOf(affkit.reconcile(options))).toMatchObject({
    name: 'AffkitValidationError',
    message: expect.stringContaining(message),
  });
});

test('the types require the option load for a list of ids', () => {
  const list = ['order-1'];
  // @ts-expect-error without `load`, the missing sales could not be sent
  const options: ReconcileOptions = { since, list };
  expect(options.load).toBeUndefined();
});

test('looks up fewer long ids per request, so that the body stays below 64 KiB', async () => {
  const { affkit, server } = begin();
  const list = async () => Array.from({ length: 500 }, (_, count) => listed(`${count}`.padEnd(255, 'é')));
  expect(await affkit.reconcile({ since, list })).toMatchObject({ checked: 500, sent: 500 });
  expect(Math.max(...server.bodies.map((body) => Buffer.byteLength(body)))).toBeLessThan(64 * 1024);
});

test('counts sales without a partner, returns rejected sales and continues with the others', async () => {
  const { affkit, server } = begin();
  server.fault = (operation, { transaction_id: id }) => {
    if (operation !== 'sale') return undefined;
    if (id === 'organic') return [400, { error: 'Customer not found', code: 'sale_customer_not_found' }];
    return id === 'taken' ? [409, duplicateSale('transaction_id_taken')] : undefined;
  };
  const list = () => [listed('organic'), listed('taken'), listed('order-1')];
  expect(await affkit.reconcile({ since, list })).toMatchObject({
    checked: 3,
    existing: 0,
    sent: 1,
    unattributed: 1,
    refused: [{ transactionId: 'taken', error: { code: 'transaction_id_taken' } }],
  });
});

test('lists a sale in `refused` if the server does not accept its id, and sends the others', async () => {
  const { affkit, server } = begin();
  // The server rejects a lookup without ids, or with an id that is not valid.
  server.fault = (operation, { transaction_ids: ids }) => {
    const isValid = Array.isArray(ids) && ids.length > 0 && ids.every((id) => /^[^\0]{1,255}$/.test(id));
    if (operation !== 'exists' || isValid) return undefined;
    return [400, { error: 'transaction_ids is not valid', code: 'invalid_field' }];
  };
  await affkit.sale({ ...SALE, transaction_id: 'order-1' });
  const refused = ['x'.repeat(70_000), 'y'.repeat(256), 'a\0'];
  const list = [...refused, 'order-1', 'order-2'].map(listed);
  expect(await affkit.reconcile({ since, list })).toMatchObject({
    checked: 5,
    existing: 1,
    sent: 1,
    refusedCount: 3,
    refused: refused.map((transactionId) => ({ transactionId, error: { code: 'invalid_field' } })),
  });
  const load = (ids: readonly string[]) => ids.map(listed);
  expect(await affkit.reconcile({ since, list: refused, load })).toMatchObject({ refusedCount: 3 });
});

test('throws if the server is down or its reply is not documented', async () => {
  const { affkit, server } = begin();
  const list = () => [listed('order-1')];
  server.fault = () => [503, {}];
  expect(await rejectionOf(affkit.reconcile({ since, list }))).toMatchObject({
    status: 503,
    retryable: true,
  });
  for (const body of [{ success: true }, { success: true, existing: [], missing: [7] }, { missing: ['x'] }]) {
    server.fault = () => [200, body];
    expect(await rejectionOf(affkit.reconcile({ since, list }))).toMatchObject({
      name: 'AffkitUnexpectedReplyError',
      code: 'unexpected_reply',
      retryable: true,
    });
  }
});

test.each([
  ['missing', undefined],
  ['a Date', new Date()],
])('throws for a sale whose occurred_at is %s', async (_what, occurred_at) => {
  const { affkit, server } = begin();
  const wrong: unknown = { ...listed('order-1'), occurred_at };
  const reconciled = affkit.reconcile({ since, list: () => [wrong as ListedSale] });
  expect(await rejectionOf(reconciled)).toMatchObject({
    name: 'AffkitValidationError',
    code: 'invalid_field',
    message:
      'The listed sale order-1 is not valid: ' +
      'occurred_at must be an ISO 8601 date and time with a time zone such as 2026-01-31T12:00:00Z, ' +
      `got ${typeof occurred_at}`,
  });
  expect(server.log).toEqual([]);
});

test.each([undefined, '', 7])('throws for a sale whose transaction_id is %j', async (transaction_id) => {
  const { affkit, server } = begin();
  const wrong: unknown = { ...listed('order-1'), transaction_id };
  const reconciled = affkit.reconcile({ since, list: () => [wrong as ListedSale] });
  expect(await rejectionOf(reconciled)).toMatchObject({
    name: 'AffkitValidationError',
    message: 'Each listed sale must have a transaction_id, a non-empty string',
  });
  expect(server.log).toEqual([]);
});

test('an abort prevents the next request', async () => {
  const { affkit, server } = begin();
  const signal = AbortSignal.abort();
  const reconciled = affkit.reconcile({ since, list: () => [listed('order-1')], signal });
  expect(await rejectionOf(reconciled)).toMatchObject({ name: 'AffkitAbortError' });
  expect(server.log).toEqual([]);
});

test('an abort ends a request in flight', async () => {
  const stop = new AbortController();
  const { affkit } = makeClient({
    transport: () => {
      stop.abort();
      return new Promise(() => {});
    },
  });
  const reconciled = affkit.reconcile({ since, list: () => [listed('order-1')], signal: stop.signal });
  expect(await rejectionOf(reconciled)).toMatchObject({ name: 'AffkitAbortError', attempts: 1 });
});
