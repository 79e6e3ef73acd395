import { expect, test } from 'vitest';
import type { TraceStep } from '../../api/types.ts';
import { storyOf } from './story.ts';

const step = (kind: TraceStep['step'], at: string, detail: TraceStep['detail'] = {}): TraceStep => ({
  step: kind,
  at,
  reason: 'r',
  why: `${kind} ${at}`,
  detail,
});

const STEPS = [
  step('click', 'd1'),
  step('lead', 'd2'),
  step('sale', 'd3', { sale_date: 'd3' }),
  step('commission', 'd3', { id: 1 }),
  step('ledger', 'd3', { id: 11, commission_id: 1 }),
  step('sale', 'd4', { sale_date: 'd4' }),
  step('commission', 'd4', { id: 2 }),
  step('ledger', 'd4', { id: 12, commission_id: 2 }),
  step('refund', 'd5', { id: 21, commission_id: 1 }),
  step('payout', 'd6', { id: 31 }),
  step('payout', 'd7', { id: 32 }),
];

const whysOf = (steps: readonly TraceStep[]) => steps.map(({ why }) => why);

test('keeps the steps of one commission and of its customer', () => {
  const story = storyOf({ steps: STEPS }, { id: 2, commission_date: 'd4', payout_id: 32 });
  expect(story.verdict?.why).toBe('commission d4');
  expect(story.sale?.why).toBe('sale d4');
  expect(whysOf(story.steps)).toEqual(['click d1', 'lead d2', 'sale d4', 'commission d4', 'payout d7']);
  expect(whysOf(story.ledger)).toEqual(['ledger d4']);
});

test('uses the last sale before the commission if no sale has the time of the commission', () => {
  const story = storyOf({ steps: STEPS }, { id: 1, commission_date: 'earlier', payout_id: null });
  expect(story.sale?.why).toBe('sale d3');
  expect(whysOf(story.steps)).toEqual(['click d1', 'lead d2', 'sale d3', 'commission d3', 'refund d5']);
});

test('has no verdict if the commission is not among the steps', () => {
  const story = storyOf({ steps: STEPS }, { id: 9, commission_date: 'd3', payout_id: null });
  expect([story.verdict, story.sale]).toEqual([undefined, undefined]);
});
