import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duplicateSale, FOREIGN_REPLIES, RECORDED } from '../test/replies.ts';
import { type AttemptOutcome, decideRetry, parseRetryAfter, type RetryContext } from './retry.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

const decide = (outcome: AttemptOutcome, context: Partial<RetryContext> = {}) =>
  decideRetry(outcome, {
    operation: 'sale',
    attempt: 1,
    maxRetries: 3,
    nowMs: NOW_MS,
    deadlineAtMs: NOW_MS + 30_000,
    random: 0.5,
    ...context,
  });
const responding = (status: number, more: Partial<Extract<AttemptOutcome, { kind: 'response' }>> = {}) =>
  ({ kind: 'response', status, ...more }) as const;

const refused = { action: 'fail', reason: 'refused', isRetryable: false };
const duplicate = { action: 'succeed', isDuplicate: true };

const affkitError = { error: 'Some error', code: 'some_error' };
const repeatedLead = { error: 'Customer status cannot be updated to lead.', code: 'lead_already_recorded' };

describe('success', () => {
  test.each(['sale', 'refund', 'lead'] as const)('a documented 200 to a %s is success', (operation) => {
    const recorded = responding(200, { body: RECORDED[operation] });
    expect(decide(recorded, { operation })).toEqual({ action: 'succeed', isDuplicate: false });
  });

  test('a documented 200 to a lookup is success', () => {
    const found = responding(200, { body: { success: true, existing: ['a'], missing: [] } });
    expect(decide(found, { operation: 'exists' })).toEqual({ action: 'succeed', isDuplicate: false });
  });

  test.each(['duplicate_transaction', 'transaction_id_taken'])(
    'a 409 to a sale with code %s is a duplicate regardless of x-should-retry, maxRetries and deadline',
    (code) => {
      const response = responding(409, { body: duplicateSale(code), shouldRetry: 'true', retryAfter: '1' });
      expect(decide(response)).toEqual(duplicate);
      expect(decide(response, { attempt: 9, maxRetries: 0, deadlineAtMs: 0 })).toEqual(duplicate);
    },
  );

  test('a 409 to a refund or a lead is not a duplicate', () => {
    const conflict = responding(409, { body: { error: 'Conflict', code: 'conflict' } });
    expect(decide(conflict, { operation: 'refund' })).toEqual(refused);
    expect(decide(conflict, { operation: 'lead' })).toEqual(refused);
  });

  test('lead_already_recorded is a duplicate for a lead, but not for a sale', () => {
    const response = responding(400, { body: repeatedLead, shouldRetry: 'true' });
    expect(decide(response, { operation: 'lead' })).toEqual(duplicate);
    expect(decide(response, { operation: 'sale' })).toMatchObject({ action: 'retry' });
  });
});

test.each(FOREIGN_REPLIES)('retries the reply %i %j, which did not come from Affkit', (status, text) => {
  const body = text.startsWith('{') && text.endsWith('}') ? JSON.parse(text) : undefined;
  for (const operation of ['sale', 'refund', 'lead', 'exists'] as const) {
    // This reply is valid for a lead, because the documented reply to a lead has only a message.
    if (operation === 'lead' && status === 200 && body?.message === 'ok') continue;
    const response = responding(status, { body, shouldRetry: 'false' });
    expect(decide(response, { operation })).toEqual({ action: 'retry', delayMs: 250 });
  }
});

describe('retries', () => {
  test.each([408, 425, 429, 500, 502, 503, 504])('retries %i', (status) => {
    expect(decide(responding(status))).toEqual({ action: 'retry', delayMs: 250 });
  });

  test.each([400, 401, 403, 404, 405, 413, 422, 501, 505])('does not retry a %i sent by Affkit', (status) => {
    expect(decide(responding(status, { body: affkitError }))).toEqual(refused);
  });

  test('retries if no response arrives or the request times out', () => {
    expect(decide({ kind: 'unreachable', isReset: false })).toEqual({ action: 'retry', delayMs: 250 });
    expect(decide({ kind: 'timeout' })).toEqual({ action: 'retry', delayMs: 250 });
  });

  test.each(['deadline', 'aborted'] as const)('does not retry after the outcome %s', (kind) => {
    expect(decide({ kind })).toEqual({ action: 'fail', reason: kind, isRetryable: true });
  });

  test('obeys x-should-retry: true and false, and ignores other values', () => {
    expect(decide(responding(503, { shouldRetry: 'false' }))).toEqual(refused);
    const body = affkitError;
    expect(decide(responding(400, { body, shouldRetry: ' TRUE ' }))).toEqual({
      action: 'retry',
      delayMs: 250,
    });
    expect(decide(responding(400, { body, shouldRetry: 'perhaps' }))).toEqual(refused);
  });

  test.each([301, 302, 303, 307, 308, 0])(
    'does not retry a redirect (%i), even with x-should-retry: true',
    (status) => {
      expect(decide(responding(status, { shouldRetry: 'true' }))).toEqual(refused);
    },
  );

  test('maxRetries limits the requests after the first one, and 0 disables retries', () => {
    const exhausted = { action: 'fail', reason: 'exhausted', isRetryable: true };
    expect(decide(responding(503), { maxRetries: 0 })).toEqual(exhausted);
    expect(decide(responding(503), { maxRetries: 2, attempt: 2 })).toMatchObject({ action: 'retry' });
    expect(decide(responding(503), { maxRetries: 2, attempt: 3 })).toEqual(exhausted);
  });
});

describe('delay', () => {
  test('the delay is random, below a limit that starts at 0.5 s and doubles up to 8 s', () => {
    const maxDelays = [1, 2, 3, 4, 5, 6, 60].map((attempt) =>
      decide(responding(500), { attempt, maxRetries: 99, random: 1 }),
    );
    expect(maxDelays).toEqual(
      [500, 1000, 2000, 4000, 8000, 8000, 8000].map((delayMs) => ({ action: 'retry', delayMs })),
    );
    expect(decide(responding(500), { random: 0 })).toEqual({ action: 'retry', delayMs: 0 });
  });

  test('the delay is the value of Retry-After, which is a number of seconds or a date', () => {
    expect(decide(responding(429, { retryAfter: '7' }))).toEqual({ action: 'retry', delayMs: 7000 });
    expect(decide(responding(503, { retryAfter: 'Sun, 01 Mar 2026 12:00:09 GMT' }))).toEqual({
      action: 'retry',
      delayMs: 9000,
    });
  });

  test('the call fails immediately if the delay would exceed the deadline', () => {
    expect(decide(responding(429, { retryAfter: '30' }))).toEqual({
      action: 'fail',
      reason: 'deadline',
      isRetryable: true,
    });
    expect(decide(responding(429, { retryAfter: '29' }))).toEqual({ action: 'retry', delayMs: 29_000 });
  });

  test('the delay is 0 after a reset in the first attempt, and the usual backoff after a reset in a later one', () => {
    const reset = { kind: 'unreachable', isReset: true } as const;
    expect(decide(reset)).toEqual({ action: 'retry', delayMs: 0 });
    expect(decide(reset, { attempt: 2 })).toEqual({ action: 'retry', delayMs: 500 });
    expect(decide(reset, { maxRetries: 0 })).toMatchObject({ action: 'fail', reason: 'exhausted' });
  });
});

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    [' 5 ', 5000],
    ['Sun, 01 Mar 2026 12:01:00 GMT', 60_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ])('parses %j as %i ms', (header, delayMs) => {
    expect(parseRetryAfter(header, NOW_MS)).toBe(delayMs);
  });

  test.each([
    undefined,
    null,
    '',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    '2026-03-01T12:01:00Z',
    'Sun, 01 Foo 2026 12:01:00 GMT',
  ])('returns undefined for %j', (header) => expect(parseRetryAfter(header, NOW_MS)).toBeUndefined());
});

const anyResponse = fc.record(
  {
    kind: fc.constant('response' as const),
    status: fc.oneof(
      fc.integer({ min: 0, max: 599 }),
      fc.constantFrom(200, 302, 400, 408, 409, 425, 429, 500, 502, 503, 504),
    ),
    body: fc.constantFrom(
      undefined,
      {},
      affkitError,
      repeatedLead,
      duplicateSale('transaction_id_taken'),
      RECORDED.sale,
      RECORDED.refund,
      RECORDED.lead,
    ),
    shouldRetry: fc.constantFrom(undefined, null, 'true', 'false', 'x'),
    retryAfter: fc.oneof(
      fc.constantFrom(undefined, null, 'Sun, 01 Mar 2026 12:00:09 GMT'),
      fc.nat(100_000).map(String),
      fc.string(),
    ),
  },
  { requiredKeys: ['kind', 'status'] },
);
const anyOutcome: fc.Arbitrary<AttemptOutcome> = fc.oneof(
  { weight: 5, arbitrary: anyResponse },
  fc.record({ kind: fc.constant('unreachable' as const), isReset: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('timeout' as const, 'deadline' as const, 'aborted' as const) }),
);
const anyContext: fc.Arbitrary<RetryContext> = fc.record({
  operation: fc.constantFrom('sale' as const, 'refund' as const, 'lead' as const),
  attempt: fc.integer({ min: 1, max: 1100 }),
  maxRetries: fc.nat(1100),
  nowMs: fc.integer({ min: NOW_MS, max: NOW_MS + 100_000 }),
  deadlineAtMs: fc.integer({ min: NOW_MS, max: NOW_MS + 100_000 }),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

describe('for every outcome and context', () => {
  test('a retry respects maxRetries and the deadline, and its delay is not negative', () => {
    fc.assert(
      fc.property(anyOutcome, anyContext, (outcome, context) => {
        const decision = decideRetry(outcome, context);
        if (decision.action !== 'retry') return;
        expect(context.attempt).toBeLessThanOrEqual(context.maxRetries);
        expect(decision.delayMs).toBeGreaterThanOrEqual(0);
        expect(context.nowMs + decision.delayMs).toBeLessThan(context.deadlineAtMs);
      }),
    );
  });

  test('whether a call succeeds depends only on status, body and operation', () => {
    fc.assert(
      fc.property(anyResponse, anyContext, anyContext, (outcome, context, { operation: _, ...other }) => {
        const { status, body } = outcome;
        const decision = decideRetry(outcome, context);
        if (decision.action !== 'succeed') return;
        expect(body).toBeDefined();
        expect([200, 400, 409]).toContain(status);
        expect(decideRetry({ kind: 'response', status, body }, { ...context, ...other })).toEqual(decision);
      }),
    );
  });

  test('the delay of a retry is the number of seconds in Retry-After', () => {
    fc.assert(
      fc.property(fc.nat(200), anyContext, (seconds, context) => {
        const decision = decideRetry(responding(503, { retryAfter: String(seconds) }), context);
        if (decision.action === 'retry') expect(decision.delayMs).toBe(seconds * 1000);
      }),
    );
  });
});
