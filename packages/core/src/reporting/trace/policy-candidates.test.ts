import { expect, test } from 'vitest';
import type { PolicyVersion } from '../../storage/reads/timeline-money.ts';
import { PolicyHistory } from './policy-candidates.ts';

const POLICY: PolicyVersion = {
  policyId: 1,
  version: 1,
  versionId: 1,
  productId: null,
  partnerId: null,
  type: 'percent',
  rateBps: 2000,
  amountCents: null,
  recurringMonths: null,
  from: 10,
  until: 20,
};
const RAISED: PolicyVersion = { ...POLICY, version: 2, versionId: 2, rateBps: 3000, from: 20, until: null };
const OF_OTHER: PolicyVersion = { ...POLICY, policyId: 2, versionId: 3, partnerId: 8, until: null };

const judge = (history: PolicyHistory, recordedAt: number, chosenId: number) =>
  history.judge({ recordedAt, productIds: [null], partnerId: 7, chosenIds: [chosenId] });

test('sales with the same policies share their candidates', () => {
  const history = new PolicyHistory([POLICY, RAISED, OF_OTHER]);
  const { candidates } = judge(history, 12, 1);
  expect(candidates.map(({ policy_version_id, verdict }) => [policy_version_id, verdict])).toEqual([
    [1, 'chosen'],
    [3, 'other_partner'],
  ]);
  expect(judge(history, 19, 1).candidates).toBe(candidates);
});

test('a policy that changed between two sales changes the candidates', () => {
  const history = new PolicyHistory([POLICY, RAISED, OF_OTHER]);
  expect(judge(history, 19, 1)).toMatchObject({ chosen: POLICY, active: [POLICY, OF_OTHER] });
  expect(judge(history, 20, 2)).toMatchObject({ chosen: RAISED, active: [RAISED, OF_OTHER] });
});
