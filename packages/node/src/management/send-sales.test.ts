import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, expectTypeOf, test } from 'vitest';
import { rejectionOf } from '../../test/client.ts';
import {
  AffkitAuthenticationError,
  type AffkitError,
  AffkitServerError,
  AffkitUnexpectedReplyError,
  AffkitValidationError,
} from '../errors.ts';
import type { SaleInput, TestSaleInput } from '../input/events.ts';
import type { SaleResult } from '../results.ts';
import { type SentSale, sendSales } from './send-sales.ts';

const saleOf = (index: number) => ({ transaction_id: `${index}`, amount_cents: 1, click_id: 'c' });

/** Returns a client that throws the given error for each sale in `failures`, and counts concurrent calls. */
function makeClient(failures: Readonly<Record<number, Error>> = {}) {
  const calls = { most: 0, running: 0, sent: 0 };
  const sale = async ({ transaction_id: id }: SaleInput | TestSaleInput): Promise<SaleResult> => {
    calls.sent += 1;
    calls.running += 1;
    calls.most = Math.max(calls.most, calls.running);
    await nextTurn();
    calls.running -= 1;
    const failure = failures[Number(id)];
    if (failure !== undefined) throw failure;
    return { status: 'recorded', requestId: undefined, attempts: 1 };
  };
  return { affkit: { sale }, calls };
}

/** Collects the outcomes, and the error that ended the iteration. */
async function collect<Sale>(sent: AsyncIterable<SentSale<Sale>>) {
  const outcomes: SentSale<Sale>[] = [];
  try {
    for await (const outcome of sent) outcomes.push(outcome);
  } catch (error) {
    return { outcomes, error };
  }
  return { outcomes };
}

function* saleSource(count: number, onRead = (_index: number) => {}) {
  for (let index = 0; index < count; index += 1) {
    onRead(index);
    yield saleOf(index);
  }
}

test('sends at most `concurrency` sales at a time, and yields the outcome of each sale', async () => {
  const rejected = new AffkitValidationError('x', { code: 'invalid_field', status: 400, attempts: 1 });
  const invalid = new AffkitValidationError('x', { code: 'invalid_field' });
  const broken = new AffkitServerError('x', {
    code: 'sale_failed',
    status: 500,
    attempts: 4,
    retryable: true,
  });
  const { affkit, calls } = makeClient({ 1: rejected, 2: invalid, 3: broken });
  const { outcomes, error } = await collect(sendSales(affkit, saleSource(9), { concurrency: 3 }));
  expect([calls.most, error]).toEqual([3, undefined]);
  expect(outcomes.map(({ sale, error: failure }) => [sale.transaction_id, failure?.code])).toEqual([
    ['0', undefined],
    ['1', 'invalid_field'],
    ['2', 'invalid_field'],
    ['3', 'sale_failed'],
    ...[4, 5, 6, 7, 8].map((index) => [String(index), undefined]),
  ]);
  expectTypeOf(outcomes).toEqualTypeOf<SentSale<ReturnType<typeof saleOf>>[]>();
});

test('stops after a 401, but yields the outcome of every sale that was read', async () => {
  const token = new AffkitAuthenticationError('x', { code: 'token_invalid', status: 401, attempts: 1 });
  const { affkit, calls } = makeClient({ 4: token });
  let read = 0;
  const source = saleSource(1_000, () => {
    read += 1;
  });
  const { outcomes, error } = await collect(sendSales(affkit, source, { concurrency: 4 }));
  expect(error).toBe(token);
  expect(outcomes).toHaveLength(read);
  expect(calls.sent).toBe(read);
  expect(read).toBeLessThan(15);
  expect(outcomes.filter((outcome) => outcome.error === token)).toHaveLength(1);
});

test('stops after 20 replies in a row that did not come from Affkit', async () => {
  const foreign = () =>
    new AffkitUnexpectedReplyError('x', {
      code: 'unexpected_reply',
      status: 200,
      attempts: 4,
      retryable: true,
    });
  const one = await collect(sendSales(makeClient({ 3: foreign() }).affkit, saleSource(9)));
  expect([one.outcomes.length, one.error]).toEqual([9, undefined]);
  const failures = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [index, foreign()] as const));
  const { affkit, calls } = makeClient(failures);
  const all = await collect(sendSales(affkit, saleSource(50), { concurrency: 1 }));
  expect([all.outcomes.length, calls.sent, (all.error as AffkitError).code]).toEqual([
    5,
    5,
    'unexpected_reply',
  ]);
});

test('waits for the sales in flight when the loop ends early, and throws any error that is not an AffkitError', async () => {
  const { affkit, calls } = makeClient();
  for await (const { result } of sendSales(affkit, saleSource(100), { concurrency: 8 })) {
    expect(result?.status).toBe('recorded');
    break;
  }
  expect([calls.sent, calls.running]).toEqual([8, 0]);
  const bug = new TypeError('bug');
  expect(
    await rejectionOf(
      collect(sendSales(makeClient({ 2: bug }).affkit, saleSource(9))).then(({ error }) =>
        Promise.reject(error),
      ),
    ),
  ).toBe(bug);
  expect((await collect(sendSales(affkit, [], { concurrency: 0 }))).error).toMatchObject({
    code: 'invalid_configuration',
  });
});
