import { describe, expect, test } from 'vitest';
import { makeClient, rejectionOf, SALE } from '../test/client.ts';
import { decideFailureAction, mayBeEventSpecific } from './failure-action.ts';
import type { AffkitOptions } from './options.ts';

/** Sends a sale without retries, and returns the error that the call throws. */
async function failureOf(options: AffkitOptions): Promise<unknown> {
  const { affkit } = makeClient({ maxRetries: 0, ...options });
  return rejectionOf(affkit.sale(SALE));
}

const replying = (
  status: number,
  body: object = {},
  headers: Record<string, string> = {},
): AffkitOptions => ({
  transport: async () => Response.json(body, { status, headers }),
});
/** An error body in the format of Affkit, so the client does not take it for the reply of a proxy. */
const affkitBody = { error: 'From Affkit', code: 'some_code' };

describe('decideFailureAction', () => {
  test.each([
    [400, affkitBody, 'dead_letter'],
    [400, {}, 'retry'],
    [413, {}, 'retry'],
    [413, affkitBody, 'dead_letter'],
    [422, affkitBody, 'dead_letter'],
    [404, affkitBody, 'dead_letter'],
    [404, {}, 'retry'],
    [404, { error: 'Not found', code: 'route_not_found' }, 'halt'],
    [401, affkitBody, 'halt'],
    [403, affkitBody, 'halt'],
    [401, {}, 'retry'],
    [405, {}, 'retry'],
    [405, affkitBody, 'halt'],
    [307, {}, 'halt'],
    [408, affkitBody, 'retry'],
    [425, affkitBody, 'retry'],
    [429, affkitBody, 'retry'],
    [500, affkitBody, 'retry'],
    [501, {}, 'retry'],
    [502, {}, 'retry'],
    [503, affkitBody, 'retry'],
    [200, { success: false, error: 'link inactive' }, 'retry'],
  ])('after a response %i with body %j: %s', async (status, body, action) => {
    expect(decideFailureAction(await failureOf(replying(status, body)))).toBe(action);
  });

  test('retries a 500 even with x-should-retry: false, so that no event is lost', async () => {
    const failure = await failureOf(replying(500, affkitBody, { 'x-should-retry': 'false' }));
    expect([decideFailureAction(failure), mayBeEventSpecific(failure)]).toEqual(['retry', true]);
  });
});

test.each<[string, string, AffkitOptions]>([
  ['a failed connection', 'retry', { transport: () => Promise.reject(new Error('ECONNREFUSED')) }],
  ['a token function that throws', 'halt', { token: () => Promise.reject(new Error('vault sealed')) }],
  ['a management key as token', 'halt', { token: () => 'affk_key' }],
])('%s leads to the action %s, and is not specific to the event', async (_what, action, options) => {
  const failure = await failureOf(options);
  expect([decideFailureAction(failure), mayBeEventSpecific(failure)]).toEqual([action, false]);
});

test('the action for a thrown value that is not an AffkitError is "retry"', () => {
  expect([decideFailureAction(new Error('EIO')), decideFailureAction('?')]).toEqual(['retry', 'retry']);
});
