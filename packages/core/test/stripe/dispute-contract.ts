import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { runConcurrently } from '../support/management-world.ts';
import { DAY, type PayoutWorld, payoutWorldOn } from '../support/payout-world.ts';
import { type DisputeStatus, dispute, event } from '../support/stripe-events.ts';
import { type Shape, unchecked } from '../support/stripe-shape.ts';
import { findStep, TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { START } from '../support/world.ts';

const HOUR = 3_600_000;

/** Tests disputes of a sale of 19.99 USD, whose commission is 4.00 USD. */
export function disputeContract(kind: string, open: OpenEngine): void {
  describe(`a dispute on ${kind}`, () => {
    let world: WebhookWorld;
    let money: PayoutWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      money = await payoutWorldOn(world);
    });
    afterEach(() => auditAndClose(world));

    const opened = (name: string, amount?: number, fields: Shape<Stripe.Dispute> = {}) =>
      event('charge.dispute.created', dispute(name, 'needs_response', amount, fields));
    const withdrawn = (name: string, amount?: number) =>
      event('charge.dispute.funds_withdrawn', dispute(name, 'needs_response', amount));
    const closed = (
      name: string,
      status: DisputeStatus,
      amount?: number,
      fields: Shape<Stripe.Dispute> = {},
    ) => event('charge.dispute.closed', dispute(name, status, amount, fields));
    const reinstated = (name: string, status: DisputeStatus, fields: Shape<Stripe.Dispute> = {}) =>
      event('charge.dispute.funds_reinstated', dispute(name, status, 1999, fields));
    const payable = async () => (await money.owed())['USD'];

    test('holds the commission, and notifies the partner and the advertiser once', async () => {
      await world.outcome(world.completed('a'));
      const first = opened('a');
      expect(await world.outcomes(first, first, withdrawn('a'), opened('a'))).toEqual([
        'dispute_held',
        'duplicate: event_repeated',
        'dispute_skipped: already_applied',
        'dispute_skipped: already_applied',
      ]);
      expect(await money.commission(1)).toMatchObject({ disputed: true, payout_id: null });
      expect(await payable()).toEqual([400, 0]);
      expect(await money.payOut()).toEqual([]);
      const payload = { commissionId: 1, amountCents: 400, currency: 'USD', reason: 'fraudulent' };
      expect(await world.listNotifications('commission_disputed')).toEqual([
        { partner_id: world.anna.partnerId, program_id: world.program.id, payload },
        {
          ...world.advertiser,
          payload: {
            ...payload,
            transactionId: 'pi_a',
            dispute: 'dp_a',
            disputeAmountCents: 1999,
            disputeCurrency: 'USD',
            wasPaid: false,
            disputedAt: new Date(START).toISOString(),
          },
        },
      ]);
    });

    test.each([
      ['won', closed('a', 'won')],
      ['closed as an inquiry', closed('a', 'warning_closed')],
      ['reinstated', reinstated('a', 'under_review', { balance_transactions: [] })],
      ['reinstated after a loss', reinstated('a', 'lost', { balance_transactions: [] })],
    ])('releases the commission when the dispute is %s', async (_name, end) => {
      await world.outcomes(world.completed('a'), opened('a'));
      expect(await world.outcomes(end, opened('a'))).toEqual([
        'dispute_released',
        'dispute_skipped: already_applied',
      ]);
      expect(await money.commission(1)).toMatchObject({ disputed: false, status: 'approved' });
      expect(await payable()).toEqual([400, 400]);
      expect(await world.listNotifications('commission_released')).toMatchObject([
        { partner_id: world.anna.partnerId, payload: { commissionId: 1, amountCents: 400 } },
        { partner_id: null, payload: { dispute: 'dp_a' } },
      ]);
      expect(await money.payOut()).toMatchObject([{ amount_cents: 400 }]);
    });

    test('stays open when only a part of the money is reinstated', async () => {
      await world.outcomes(world.completed('a'), opened('a'));
      const part = [{ amount: -1999 }, { amount: 500 }];
      expect(await world.outcome(reinstated('a', 'under_review', { balance_transactions: part }))).toBe(
        'dispute_skipped: already_applied',
      );
      expect(await money.commission(1)).toMatchObject({ disputed: true });
    });

    test.each([
      [1999, 'dispute_lost: reversed', 'reversed', 400],
      [2500, 'dispute_lost: reversed', 'reversed', 400],
      [500, 'dispute_lost: refunded', 'refunded', 100],
    ])(
      'when it is lost, deducts the disputed share of the commission (dispute of %d cents)',
      async (amount, outcome, status, deducted) => {
        await world.outcomes(world.completed('a'), opened('a', amount));
        expect(await world.outcomes(closed('a', 'lost', amount), closed('a', 'lost', amount))).toEqual([
          outcome,
          'dispute_skipped: already_applied',
        ]);
        expect(await money.commission(1)).toMatchObject({
          status,
          disputed: false,
          deducted_cents: deducted,
          refund_reason: 'fraudulent',
        });
        expect(await payable()).toEqual([400 - deducted, 400 - deducted]);
        await world.affkit.jobs.runOnce();
        expect(
          await world.listNotifications(`commission_${status as 'reversed' | 'refunded'}`),
        ).toMatchObject([{ partner_id: world.anna.partnerId, payload: { deductionCents: deducted } }]);
      },
    );

    test('makes the balance negative and warns the advertiser when it is lost after the payout', async () => {
      await world.outcome(world.completed('a'));
      const [payout] = await money.payOut();
      await money.end(payout?.id ?? 0, 'mark-paid');
      expect(await world.outcome(opened('a'))).toBe('dispute_held');
      expect(await money.commission(1)).toMatchObject({ status: 'paid', disputed: true, payout_id: 1 });
      expect(await world.listNotifications('commission_disputed')).toMatchObject([
        {},
        { payload: { wasPaid: true } },
      ]);
      expect(await payable()).toEqual([0, 0]);
      expect(await world.outcome(closed('a', 'lost'))).toBe('dispute_lost: reversed');
      expect(await payable()).toEqual([-400, 0]);
      await world.affkit.jobs.runOnce();
      expect(await world.listNotifications('paid_commission_reversed')).toMatchObject([world.advertiser]);
    });

    test('changes nothing when it is won after the payout', async () => {
      await world.outcome(world.completed('a'));
      const [payout] = await money.payOut();
      await money.end(payout?.id ?? 0, 'mark-paid');
      await world.outcomes(opened('a'), closed('a', 'won'));
      expect(await money.commission(1)).toMatchObject({ status: 'paid', disputed: false, payout_id: 1 });
      expect(await payable()).toEqual([0, 0]);
    });

    test('removes the commission from a pending payout; when the dispute is won, the next payout pays it', async () => {
      await world.outcomes(world.completed('a'), world.completed('b'));
      const [payout] = await money.payOut();
      expect(payout).toMatchObject({ amount_cents: 800, commissions: 2 });
      await world.outcome(opened('a'));
      expect(await payable()).toEqual([800, 0]);
      const { body } = await money.end(payout?.id ?? 0, 'mark-paid');
      expect(body['data']).toMatchObject({ amount_cents: 400, commissions: 1 });
      expect(await money.commission(1)).toMatchObject({ status: 'approved', payout_id: null });
      await world.outcome(closed('a', 'won'));
      expect(await money.payOut()).toMatchObject([{ amount_cents: 400, commissions: 1 }]);
    });

    test('leaves the commission in the balance but makes it unpayable, even if a pending payout deducts a refund', async () => {
      await world.outcomes(world.completed('a'), world.completed('b'), world.completed('c'));
      const [first] = await money.payOut();
      await money.end(first?.id ?? 0, 'mark-paid');
      await world.outcomes(world.refunded('c', 1999), world.completed('d'), world.completed('e'));
      const [second] = await money.payOut();
      expect(second).toMatchObject({ amount_cents: 400 });
      await world.outcome(opened('d'));
      expect(await payable()).toEqual([400, 0]);
      await money.end(second?.id ?? 0, 'cancel');
      expect(await payable()).toEqual([400, 0]);
      await world.outcome(closed('d', 'won'));
      expect(await payable()).toEqual([400, 400]);
    });

    test('keeps the commission pending: neither the end of the hold nor an approval releases it', async () => {
      await money.ask('PUT', '', { hold_days: 7 });
      await world.outcomes(world.completed('a'), opened('a'));
      expect(await money.ask('POST', '/commissions/1/approve', {})).toMatchObject({
        status: 409,
        body: {
          code: 'commission_state',
          error: 'Commission is disputed. It can be approved when the dispute has ended.',
        },
      });
      world.clock.now += 8 * DAY;
      await world.affkit.jobs.runOnce();
      expect(await money.commission(1)).toMatchObject({ status: 'pending', approved_at: null });
      expect(await payable()).toEqual([400, 0]);
      await world.outcome(closed('a', 'won'));
      await world.affkit.jobs.runOnce();
      expect(await money.commission(1)).toMatchObject({ status: 'approved' });
    });

    test('changes nothing if the commission was rejected, or if the sale has no commission', async () => {
      await world.outcomes(world.completed('a'));
      expect(await money.ask('POST', '/commissions/1/reject', {})).toMatchObject({ status: 200 });
      expect(await world.outcomes(opened('a'), closed('a', 'lost'))).toEqual([
        'dispute_skipped: commission_was_rejected',
        'dispute_skipped: commission_was_rejected',
      ]);
      world.clock.now += 100 * DAY;
      expect(await world.outcome(world.completed('b'))).toBe('sale_recorded: window_expired');
      expect(await world.outcome(opened('b'))).toBe('dispute_skipped: no_commission');
      expect(await world.listNotifications('commission_disputed')).toEqual([]);
    });

    test('holds the commission until the last of several disputes has ended', async () => {
      await world.outcomes(world.completed('a'), opened('a', 500));
      const other = { id: 'dp_other' };
      expect(await world.outcomes(opened('a', 700, other), closed('a', 'won', 500))).toEqual([
        'dispute_held',
        'dispute_released: other_dispute_open',
      ]);
      expect(await world.listNotifications('commission_released')).toEqual([]);
      expect(await world.outcome(closed('a', 'won', 700, other))).toBe('dispute_released');
      expect(await world.listNotifications('commission_released')).toMatchObject([
        { partner_id: world.anna.partnerId },
        { partner_id: null, payload: { dispute: 'dp_other' } },
      ]);
      expect(await money.commission(1)).toMatchObject({ disputed: false, deducted_cents: 0 });
    });

    test('holds the commission once for 20 concurrent events, and deducts it once for 20 concurrent losses', async () => {
      await world.outcome(world.completed('a'));
      const held = await runConcurrently(20, () => world.outcome(opened('a')));
      expect(held.filter((outcome) => outcome === 'dispute_held')).toHaveLength(1);
      const lost = await runConcurrently(20, () => world.outcome(closed('a', 'lost')));
      expect(lost.filter((outcome) => outcome === 'dispute_lost: reversed')).toHaveLength(1);
      expect(await payable()).toEqual([0, 0]);
    });

    test('gives the deduction back when a lost dispute is won after all', async () => {
      await world.outcomes(world.completed('a'), opened('a'), closed('a', 'lost'));
      expect(await payable()).toEqual([0, 0]);
      expect(await world.outcomes(closed('a', 'won'), closed('a', 'lost'))).toEqual([
        'dispute_released',
        'dispute_skipped: already_applied',
      ]);
      expect(await money.commission(1)).toMatchObject({ status: 'approved', deducted_cents: 0 });
      expect(await payable()).toEqual([400, 400]);
    });

    test.each([
      ['refund first', [0, 1]],
      ['loss first', [1, 0]],
    ])('deducts, together with a refund, at most the whole commission: %s', async (_name, order) => {
      await world.outcomes(world.completed('a'), opened('a'));
      const events = [world.refunded('a', 1000), closed('a', 'lost')];
      for (const place of order) await world.send(events[place]);
      expect(await money.commission(1)).toMatchObject({ status: 'reversed', deducted_cents: 400 });
      expect(await payable()).toEqual([0, 0]);
    });

    test.each([
      ['refund first', [0, 1]],
      ['loss first', [1, 0]],
    ])('adds its share to that of a partial refund: %s', async (_name, order) => {
      await world.outcomes(world.completed('a'), opened('a', 500));
      const events = [world.refunded('a', 500), closed('a', 'lost', 500)];
      for (const place of order) await world.send(events[place]);
      expect(await money.commission(1)).toMatchObject({ status: 'refunded', deducted_cents: 200 });
      expect(await payable()).toEqual([200, 200]);
    });

    test('deducts nothing when it is lost, if its currency differs from that of the sale', async () => {
      await world.outcome(world.completed('a'));
      expect(
        await world.outcomes(
          opened('a', 1850, { currency: 'eur' }),
          closed('a', 'lost', 1850, { currency: 'eur' }),
        ),
      ).toEqual(['dispute_held', 'dispute_skipped: currency_differs']);
      expect(await money.commission(1)).toMatchObject({ disputed: false, deducted_cents: 0 });
      expect(await world.listNotifications('lost_dispute_skipped')).toMatchObject([
        { ...world.advertiser, payload: { dispute: 'dp_a', disputeAmountCents: 1850, saleId: 1 } },
      ]);
    });

    test('is ignored if it has no amount, no charge, or a currency that cannot be stored', async () => {
      await world.outcome(world.completed('a'));
      expect(
        await world.outcomes(
          opened('a', 1999, unchecked({ amount: null })),
          opened('a', 1999, unchecked({ charge: null })),
          opened('a', 1999, { currency: 'us\0' }),
        ),
      ).toEqual(Array(3).fill('ignored: dispute_incomplete'));
    });

    test.each([
      ['checkout', () => world.send(world.completed('a'))],
      ['API sale with its charge as transaction id', () => world.sell({ transaction_id: 'ch_a' })],
      ['API sale with references', () => world.sell({ transaction_id: 'order-a', processor_refs: ['pi_a'] })],
    ])('is parked until its payment arrives, then applied: %s', async (_name, deliver) => {
      expect(await world.outcomes(opened('a'), closed('b', 'lost', 500))).toEqual([
        'parked: payment_unknown',
        'parked: payment_unknown',
      ]);
      await deliver();
      expect(await money.commission(1)).toMatchObject({ disputed: true });
      expect(await world.listNotifications('commission_disputed')).toHaveLength(2);
      await world.outcome(world.completed('b'));
      expect(await money.commission(2)).toMatchObject({ status: 'refunded', deducted_cents: 100 });
    });

    test('notifies the advertiser of a parked dispute once after 24 hours', async () => {
      await world.outcomes(opened('a'), closed('b', 'won'));
      const warnings = async (at: number) => {
        world.clock.now = START + at;
        await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
        return await world.listNotifications('dispute_parked');
      };
      expect(await warnings(24 * HOUR - 1)).toEqual([]);
      expect(await warnings(24 * HOUR)).toMatchObject([{ payload: { dispute: 'dp_a', charge: 'ch_a' } }]);
      expect(await warnings(72 * HOUR)).toHaveLength(1);
      expect(await world.outcome(world.completed('a'))).toBe('sale_recorded');
      expect(await money.commission(1)).toMatchObject({ disputed: true });
    });

    test('is applied by a job if two processes stored it and the payment id of its sale at the same time', async () => {
      await world.outcomes(opened('a'), world.completed('b'));
      await world.engine.write(world.workspaceId, (tx) =>
        tx.db
          .insertInto('processor_refs')
          .values({ workspace_id: world.workspaceId, ref: 'pi_a', program_id: world.program.id, sale_id: 1 })
          .execute(),
      );
      world.clock.now += 60_000;
      await world.affkit.jobs.runOnce();
      expect(await money.commission(1)).toMatchObject({ disputed: true });
    });

    test('prevents, while it is parked, the deletion of the program that its metadata names', async () => {
      await world.outcome(opened('a', 1999, { metadata: world.metadata }));
      expect(await money.ask('DELETE', '')).toMatchObject({
        status: 409,
        body: { code: 'program_has_balance' },
      });
      await world.outcome(closed('a', 'won'));
      expect(await money.ask('DELETE', '')).toMatchObject({ status: 200 });
    });

    test('holds the commission that remains when two sales turn out to be the same payment', async () => {
      await world.sell({ transaction_id: 'ch_a' });
      await world.outcomes(opened('a', 1999, { payment_intent: null }), world.completed('a'));
      expect(await world.outcome(withdrawn('a'))).toBe('dispute_skipped: already_applied');
      const rows = await Promise.all([money.commission(1), money.commission(2)]);
      expect(rows).toMatchObject([
        { status: 'approved', disputed: true },
        { status: 'rejected', disputed: false },
      ]);
      expect(await payable()).toEqual([400, 0]);
    });

    test('is explained in the trace', async () => {
      const tracer = await TraceClient.of(world);
      await world.outcomes(opened('a'), world.completed('a'), withdrawn('a'));
      world.clock.now += 1;
      await world.outcome(closed('a', 'lost'));
      const steps = await tracer.steps('transaction_id=pi_a');
      expect(findStep(steps, 'commission_disputed')).toMatchObject({
        step: 'note',
        why: 'The customer disputed the payment. Until the dispute ends, the commission is on hold and no payout includes it.',
        detail: { detail: 'dp_a' },
      });
      expect(findStep(steps, 'webhook_dispute_lost')).toMatchObject({
        detail: { type: 'charge.dispute.closed', outcome_reason: 'reversed' },
      });
      expect(findStep(steps, 'dispute_lost').why).toContain('lost the dispute');
      expect(findStep(steps, 'full_refund')).toMatchObject({
        why: 'The advertiser lost a dispute of the whole sale, so the whole commission was deducted: 4.00 USD.',
        detail: { refund_reason: 'fraudulent' },
      });
    });

    test('is explained in the trace as a partial dispute if its amount is less than that of the sale', async () => {
      const tracer = await TraceClient.of(world);
      await world.outcomes(world.completed('a'), opened('a', 500), closed('a', 'lost', 500));
      expect(findStep(await tracer.steps('transaction_id=pi_a'), 'partial_refund').why).toBe(
        'The advertiser lost a dispute of a part of the sale, so the same share of the commission was deducted: 1.00 USD.',
      );
    });
  });
}
