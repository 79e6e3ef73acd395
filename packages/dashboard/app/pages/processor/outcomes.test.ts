import { webhookReply } from '@affkit/protocol';
import { expect, test } from 'vitest';
import { describeOutcome } from './outcomes.ts';

test('every outcome of the API has a text', () => {
  for (const outcome of webhookReply.shape.outcome.options) {
    expect(describeOutcome(outcome, null).text).not.toBe(outcome);
  }
});

test.each([
  ['sale_recorded', null, 'good', false],
  ['sale_recorded', 'zero_amount', 'good', false],
  ['ignored', 'unsupported_type', 'info', false],
  ['ignored', 'metadata_missing', 'warn', true],
  ['ignored', 'invalid_amount_cents', 'warn', false],
  ['refund_skipped', 'currency_differs', 'warn', true],
] as const)('%s with the reason %s has the tone %s (next step: %s)', (outcome, reason, tone, hasNext) => {
  const described = describeOutcome(outcome, reason);
  expect(described.tone).toBe(tone);
  expect(described.next !== null).toBe(hasNext);
});
