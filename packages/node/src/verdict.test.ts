import { describe, expect, test } from 'vitest';
import { makeClient, rejectionOf, SALE } from '../test/client.ts';
import type { AffkitOptions } from './options.ts';
import { decideFailureAction, mayBeEventSpecific } from './verdict.ts';

/** What a call fails with, after one attempt. */
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
const affkits = { error: 'said by Affkit', code: 'some_code' };

describe('a reply', () => {
  test.each([
    [400, affkits, 'dead'],
    [400, {}, 'dead'],
    [413, {}, 'dead'],
    [422, affkits, 'dead'],
    [404, affkits, 'dead'],
    [404, {}, 'halt'],
    [404, { error: 'Not found', code: 'route_not_found' }, 'halt'],
    [401, affkits, 'halt'],
    [403, affkits, 'halt'],
    [405, {}, 'halt'],
    [307, {}, 'halt'],
    [408, affkits, 'later'],
    [425, affkits, 'later'],
    [429, affkits, 'later'],
    [500, affkits, 'later'],
    [501, {}, 'later'],
    [502, {}, 'later'],
    [503, affkits, 'later'],
    [200, { success: false, error: 'link inactive' }, 'dead'],
  ])('of %i with %j: %s', async (status, body, verdict) => {
    expect(decideFailureAction(await failureOf(replying(status, body)))).toBe(verdict);
  });

  test('of 500 that advises against another try is tried again all the same: nothing is given up', async () => {
    const failure = await failureOf(replying(500, affkits, { 'x-should-retry': 'false' }));
    expect([decideFailureAction(failure), mayBeEventSpecific(failure)]).toEqual(['later', true]);
  });
});

test.each<[string, AffkitOptions, string]>([
  ['no connection', { transport: () => Promise.reject(new Error('ECONNREFUSED')) }, 'later'],
  ['no token', { token: () => Promise.reject(new Error('vault sealed')) }, 'halt'],
  ['a token of another kind', { token: () => 'affk_key' }, 'halt'],
])('%s', async (_what, options, verdict) => {
  const failure = await failureOf(options);
  expect([decideFailureAction(failure), mayBeEventSpecific(failure)]).toEqual([verdict, false]);
});

test('whatever else was thrown is tried again later', () => {
  expect([decideFailureAction(new Error('EIO')), decideFailureAction('?')]).toEqual(['later', 'later']);
});
