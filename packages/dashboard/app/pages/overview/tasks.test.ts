import { describe, expect, test } from 'vitest';
import type { ProgramSetup } from '../../api/types.ts';
import { tasksOf } from './tasks.ts';

const NOW = Date.parse('2026-11-23T04:00:00Z');
const everything = () => true;

function setup(changes: Partial<ProgramSetup> & { saleAt?: string | null } = {}): ProgramSetup {
  const { saleAt = '2026-11-22T00:00:00Z', ...rest } = changes;
  const step = (name: 'click' | 'lead' | 'sale' | 'refund', lastAt: string | null) => ({
    step: name,
    state: lastAt === null ? ('waiting' as const) : ('received' as const),
    total: lastAt === null ? 0 : 1,
    last_at: lastAt,
    last_test_at: null,
    last_rejected: null,
    missing: [],
  });
  const steps = [
    step('click', '2026-11-22T00:00:00Z'),
    step('lead', '2026-11-22T00:00:00Z'),
    step('sale', saleAt),
    step('refund', null),
  ];
  return { steps, webhook: null, healthy: true, checked_at: '', ...rest };
}

function webhook(changes: Partial<NonNullable<ProgramSetup['webhook']>>): ProgramSetup {
  const none = { last_at: null, last_type: null, last_outcome: null, last_reason: null };
  const connection = { connection_id: 1, mode: 'live', connected_at: null } as const;
  return setup({ webhook: { ...connection, ...none, ...changes } });
}

const textsOf = (...args: Parameters<typeof tasksOf>) => tasksOf(...args).map(({ text }) => text);

test('returns no tasks if there is nothing to do, or if the facts are unknown', () => {
  const facts = {
    pendingPartners: 0,
    pendingPayouts: 0,
    commissionsInReview: 0,
    payable: [],
    setup: setup(),
  };
  expect(tasksOf(facts, everything, NOW)).toEqual([]);
  expect(tasksOf({}, everything, NOW)).toEqual([]);
});

test('test events do not finish the setup', () => {
  const [click, ...others] = setup().steps;
  if (click === undefined) throw new Error('The setup has no steps');
  const tested = setup({ steps: [{ ...click, state: 'tested', last_at: null }, ...others] });
  // Until the first click, the task links to the setup step that the user saw last.
  expect(tasksOf({ setup: tested }, everything, NOW)).toMatchObject([{ id: 'setup', path: '', of: 'steps' }]);
  const mayNotInvite = tasksOf({ setup: tested }, (permission) => permission !== 'partner:create', NOW);
  expect(mayNotInvite).toMatchObject([{ id: 'setup', path: '/setup' }]);
});

test('each task links to the page on which the user can complete it', () => {
  const facts = {
    pendingPartners: 3,
    pendingPayouts: 1,
    commissionsInReview: 5,
    payable: [
      { currency: 'USD', payouts: 1, amount_cents: 209_550 },
      { currency: 'JPY', payouts: 1, amount_cents: 999_999_999_999 },
    ],
    setup: setup({ saleAt: '2026-11-13T04:00:00Z' }),
  };
  expect(tasksOf(facts, everything, NOW).map(({ text, path }) => [text, path])).toEqual([
    ['No sale in 10 days', '/setup'],
    ['3 partners are waiting for approval', '/partners?status=pending'],
    ['5 commissions need approval', '/commissions?needs_approval=1'],
    ['1 payout is not marked as paid yet', '/payouts?status=pending'],
    ['2 payouts can be paid: $2,095.50 and ¥999,999,999,999', '/payouts?pay=1'],
  ]);
});

test('a task is shown only to users who are allowed to complete it', () => {
  const facts = { pendingPartners: 1, commissionsInReview: 1, setup: setup({ healthy: false }) };
  expect(tasksOf(facts, () => false, NOW)).toEqual([]);
  expect(textsOf(facts, (permission) => permission === 'partner:update', NOW)).toEqual([
    '1 partner is waiting for approval',
  ]);
});

describe('setup', () => {
  test('names the first step that has received no event', () => {
    const facts = { setup: setup({ healthy: false, saleAt: null }) };
    expect(textsOf(facts, everything, NOW)).toEqual(['Setup is not finished: no sale has arrived yet']);
  });

  test('asks for an approved partner when every step has received an event', () => {
    const facts = { setup: setup({ healthy: false }) };
    expect(textsOf(facts, everything, NOW)).toEqual(['Setup is not finished: no partner is approved yet']);
  });
});

describe('the processor connection', () => {
  const at = '2026-11-22T00:00:00Z';
  test.each([
    [webhook({}), ['Stripe is connected, but no valid webhook has arrived yet']],
    [
      webhook({ last_at: at, last_outcome: 'ignored', last_reason: 'metadata_missing' }),
      ['Stripe’s latest webhook was ignored: metadata missing'],
    ],
    [webhook({ last_at: at, last_outcome: 'ignored', last_reason: 'unsupported_type' }), []],
    [webhook({ last_at: at, last_outcome: 'ignored', last_reason: 'sale_customer_not_found' }), []],
    [
      webhook({ last_at: at, last_outcome: 'ignored', last_reason: 'no_affiliate_attribution' }),
      ['Stripe’s latest webhook was ignored: no affiliate attribution'],
    ],
    [webhook({ last_at: at, last_outcome: 'sale_recorded' }), []],
  ])('case %#', (facts, texts) => {
    expect(textsOf({ setup: facts }, everything, NOW)).toEqual(texts);
  });
});
