import fc from 'fast-check';
import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { payoutWorldOn } from '../support/payout-world.ts';
import {
  charge,
  type DisputeStatus,
  dispute,
  event,
  paymentSession,
  type StripeEvent,
} from '../support/stripe-events.ts';
import type { Shape } from '../support/stripe-shape.ts';
import { byDepth, type Depth, propertyRuns } from '../support/test-depth.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { enroll } from '../support/world.ts';

/** How the disputes of a payment end, and what their events report. */
interface History {
  readonly ending: 'open' | 'won' | 'lost' | 'lost, then won';
  readonly disputedCents: number;
  readonly refundedCents: number;
  readonly otherDispute: 'none' | 'lost' | 'open';
}

type Step = StripeEvent | 'payout' | 'mark-paid' | 'cancel' | 'jobs';

const histories: fc.Arbitrary<History> = fc.record({
  ending: fc.constantFrom('open', 'won', 'lost', 'lost, then won'),
  disputedCents: fc.constantFrom(333, 1000, 1999, 2500),
  refundedCents: fc.constantFrom(0, 1, 500, 1999),
  otherDispute: fc.constantFrom('none', 'lost', 'open'),
});

/**
 * Sends the events of a payment in random orders, with payouts in between, and compares the resulting
 * commissions and balances.
 */
export function disputeProperty(kind: string, open: OpenEngine, runs: Depth<number>): void {
  test(
    `the events of a payment lead to the same commissions and balances in any order on ${kind}`,
    async () => {
      const world = await makeWebhookWorld(await open());
      try {
        let count = 0;
        await fc.assert(
          fc.asyncProperty(histories, fc.infiniteStream(fc.nat()), async (history, random) => {
            count += 1;
            const inOrder = await play(world, `o${count}`, (name) => eventsOf(world, name, history), null);
            const shuffled = await play(world, `s${count}`, (name) => eventsOf(world, name, history), random);
            expect(shuffled).toEqual(inOrder);
            expect(inOrder.deducted).toBe(expectedDeduction(history));
          }),
          propertyRuns(runs),
        );
        expect(await auditLedger(world.engine)).toEqual([]);
        await world.affkit.jobs.runOnce();
        const report = await verifyLedger(world.affkit.runtime, world.program.id);
        expect(report).toMatchObject({ fault: null, unsealed: 0 });
      } finally {
        await world.affkit.close();
      }
    },
    60_000 + byDepth(runs) * 2_000,
  );
}

/** Returns the deduction from a commission of 4.00 for a sale of 19.99. */
function expectedDeduction({ ending, disputedCents, refundedCents, otherDispute }: History): number {
  const lostCents = (ending === 'lost' ? disputedCents : 0) + (otherDispute === 'lost' ? 700 : 0);
  return Math.round((400 * Math.min(1999, refundedCents + lostCents)) / 1999);
}

function eventsOf(world: WebhookWorld, name: string, history: History) {
  const { ending, disputedCents, refundedCents, otherDispute } = history;
  const of = (type: string, status: DisputeStatus, fields: Shape<Stripe.Dispute> = {}) =>
    event(`charge.dispute.${type}`, dispute(name, status, disputedCents, fields));
  const other = (type: string, status: DisputeStatus) =>
    event(`charge.dispute.${type}`, dispute(name, status, 700, { id: `dp_other_${name}` }));
  const returned = { balance_transactions: [{ amount: -disputedCents }, { amount: disputedCents }] };
  return (clickId: string): StripeEvent[] => [
    event(
      'checkout.session.completed',
      paymentSession(name, { program_id: world.metadata.program_id, service_click_id: clickId }),
    ),
    event('charge.refunded', charge('current', name, Math.floor(refundedCents / 2))),
    event('charge.refunded', charge('current', name, refundedCents)),
    of('created', 'needs_response'),
    of('funds_withdrawn', 'needs_response'),
    of('updated', 'under_review'),
    ...(ending === 'won' ? [of('closed', 'won'), of('funds_reinstated', 'won')] : []),
    ...(ending === 'lost' || ending === 'lost, then won' ? [of('closed', 'lost')] : []),
    ...(ending === 'lost, then won' ? [of('funds_reinstated', 'lost', returned)] : []),
    ...(otherDispute === 'none' ? [] : [other('created', 'needs_response')]),
    ...(otherDispute === 'lost' ? [other('closed', 'lost')] : []),
  ];
}

/**
 * Sends the events of a payment that a new partner referred. Between the events, it creates payouts for the partner,
 * marks them as paid, cancels them, or runs the jobs.
 * @param random numbers that decide the order of the events, which of them are sent again, and what happens between
 * them. Null sends each event once, in order, and does nothing between them
 * @returns the values that must not depend on the order
 */
async function play(
  world: WebhookWorld,
  name: string,
  history: (name: string) => (clickId: string) => StripeEvent[],
  random: Iterator<number> | null,
) {
  const money = await payoutWorldOn(world);
  const { partnerId, code } = await enroll(world.affkit, world.program, name);
  const events = history(name)(await world.click(code));
  for (const step of random === null ? events : shuffle(events, random)) {
    if (typeof step !== 'string') {
      const reply = await world.send(step);
      expect(reply.status).toBe(200);
    } else if (step === 'jobs') await world.affkit.jobs.runOnce();
    else if (step === 'payout') await money.payOut({ partner_ids: [partnerId] });
    else {
      for (const { id } of await pendingPayouts(world, partnerId)) await money.end(id, step);
    }
    expect(await disputedInPendingPayout(world, partnerId)).toEqual([]);
  }
  for (const { id } of await pendingPayouts(world, partnerId)) await money.end(id, 'cancel');
  const [balanceCents = 0, payableCents = 0] = (await money.owed(partnerId))['USD'] ?? [];
  const { status, disputed, deducted_cents, paid_at } = await world.engine.read
    .selectFrom('commissions')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .executeTakeFirstOrThrow();
  const paidCents = await paidTo(world, partnerId);
  const open = 400 - deducted_cents;
  expect(balanceCents + paidCents).toBe(open);
  const isHeld = disputed === 1 && paid_at === null;
  expect(payableCents).toBe(isHeld ? 0 : Math.max(0, open - paidCents));
  const isRefunded = status === 'reversed' || status === 'refunded';
  return { deducted: deducted_cents, disputed, status: isRefunded ? status : 'not refunded' };
}

function shuffle(events: readonly StripeEvent[], random: Iterator<number>): Step[] {
  const next = (bound: number) => Number(random.next().value) % bound;
  const steps: Step[] = [];
  // Some events are sent again later.
  const left = [...events, ...events.filter(() => next(3) === 0)];
  while (left.length > 0) {
    steps.push(...left.splice(next(left.length), 1));
    const kinds = ['payout', 'payout', 'mark-paid', 'cancel', 'jobs'] as const;
    const kind = kinds[next(8)];
    if (kind) steps.push(kind);
  }
  return steps;
}

function pendingPayouts({ engine }: WebhookWorld, partnerId: number): Promise<{ id: number }[]> {
  return engine.read
    .selectFrom('payouts')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('status', '=', 'pending')
    .execute();
}

async function paidTo({ engine }: WebhookWorld, partnerId: number): Promise<number> {
  const rows = await engine.read
    .selectFrom('payouts')
    .select('amount_cents')
    .where('partner_id', '=', partnerId)
    .where('status', '=', 'paid')
    .execute();
  return rows.reduce((cents, row) => cents + row.amount_cents, 0);
}

/** Returns the disputed commissions of a partner that are in a pending payout. */
function disputedInPendingPayout({ engine }: WebhookWorld, partnerId: number): Promise<object[]> {
  return engine.read
    .selectFrom('commissions')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('disputed', '=', 1)
    .where('paid_at', 'is', null)
    .where('payout_id', 'is not', null)
    .execute();
}
