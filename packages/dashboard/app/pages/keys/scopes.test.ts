import { SCOPES } from '@affkit/protocol';
import { expect, test } from 'vitest';
import { ALL_SCOPES, SCOPE_GROUPS, summarizeScopes } from './scopes.ts';

test('every scope has a text and is in one group', () => {
  expect(ALL_SCOPES).toEqual(SCOPES);
  expect(SCOPE_GROUPS.flatMap(({ scopes }) => scopes).toSorted()).toEqual([...SCOPES].toSorted());
});

test.each([
  [['*'], 'Everything'],
  [[...SCOPES], 'Everything'],
  [SCOPES.filter((scope) => /:(list|read|view)$/.test(scope)), 'Read only'],
  [['partner:list', 'payout:list', 'payout:create'], 'Partners (read), Payouts'],
  [['trace:read', 'dashboard:view'], 'Reports (read)'],
] as const)('summarizes %j', (scopes, text) => {
  expect(summarizeScopes(scopes)).toBe(text);
});
