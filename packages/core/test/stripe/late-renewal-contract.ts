import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { charge, dispute, event, invoice, invoicePayment, refund } from '../support/stripe-events.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';

const EUR = { currency: 'eur' } as const;

export function lateRenewalContract(kind: string, open: OpenEngine): void {
  describe.each(['before', 'after'])(
    `a renewal, if the first payment of its subscription is reported %s all events of the renewal, on ${kind}`,
    (order) => {
      let world: WebhookWorld;
      let renewedAt: number;

      beforeEach(async () => {
        world = await makeWebhookWorld(await open());
        renewedAt = world.clock.now + 70 * DAY_MS;
      });
      afterEach(() => auditAndClose(world));

      const created = (at: number) => ({ created: Math.floor(at / 1000) });
      /** Sends the renewal and then the events, either after or before the first payment of the subscription. */
      const play = async (...events: Parameters<WebhookWorld['outcomes']>) => {
        const first = event(
          'invoice.paid',
          invoice('current', 'a', 'a', world.metadata),
          created(world.clock.now),
        );
        world.clock.now = renewedAt;
        if (order === 'before') await world.outcome(first);
        await world.outcomes(
          event('invoice.paid', invoice('current', 'b', 'a', world.metadata), created(renewedAt)),
          event('invoice_payment.paid', invoicePayment('b'), created(renewedAt)),
          ...events,
        );
        if (order === 'after') await world.outcome(first);
        await world.affkit.jobs.runOnce();
      };
      const deducted = async () =>
        (await world.commissions()).find(({ id }) => id === 'in_b')?.deducted_cents;

      test('notifies the advertiser once of a partial refund in another currency', async () => {
        const refunded = charge('current', 'b', 500, 1999, EUR);
        await play(event('charge.refunded', refunded));
        await world.outcome(event('charge.refunded', refunded));
        expect(await world.listNotifications('second_refund_skipped')).toMatchObject([
          { ...world.advertiser, payload: { transactionId: 'in_b', charge: 'ch_b', refundAmountCents: 500 } },
        ]);
        expect(await deducted()).toBe(0);
      });

      test('notifies the advertiser once of each refund that has an id and is in another currency', async () => {
        await play(
          event('refund.created', refund('b', '1', 500, EUR)),
          event('refund.created', refund('b', '2', 300, EUR)),
        );
        await world.outcome(event('refund.updated', refund('b', '2', 300, EUR)));
        expect(await world.listNotifications('second_refund_skipped')).toMatchObject([
          {
            ...world.advertiser,
            payload: { refundId: 're_1', refundAmountCents: 500, refundCurrency: 'EUR' },
          },
          {
            ...world.advertiser,
            payload: { refundId: 're_2', refundAmountCents: 300, refundCurrency: 'EUR' },
          },
        ]);
        expect(await deducted()).toBe(0);
      });

      test('notifies the advertiser once of a lost dispute in another currency', async () => {
        const lost = dispute('b', 'lost', 400, EUR);
        await play(event('charge.dispute.closed', lost));
        await world.outcome(event('charge.dispute.updated', lost));
        expect(await world.listNotifications('lost_dispute_skipped')).toMatchObject([
          {
            ...world.advertiser,
            payload: { dispute: 'dp_b', disputeAmountCents: 400, disputeCurrency: 'EUR' },
          },
        ]);
        expect(await deducted()).toBe(0);
      });

      test('loses the share of a lost dispute even if a refund in another currency is skipped', async () => {
        await play(
          event('charge.refunded', charge('current', 'b', 500, 1999, EUR)),
          event('charge.dispute.closed', dispute('b', 'lost', 500)),
        );
        expect(await world.listNotifications('second_refund_skipped')).toHaveLength(1);
        expect(await world.listNotifications('lost_dispute_skipped')).toEqual([]);
        expect(await deducted()).toBe(100);
      });

      test('is on hold during a dispute, and the partner and the advertiser are notified once', async () => {
        await play(event('charge.dispute.created', dispute('b', 'needs_response', 400, EUR)));
        await world.outcome(event('charge.dispute.updated', dispute('b', 'under_review', 400, EUR)));
        expect(await world.listNotifications('commission_disputed')).toMatchObject([
          { partner_id: world.anna.partnerId },
          { partner_id: null, payload: { dispute: 'dp_b' } },
        ]);
        await world.outcome(event('charge.dispute.closed', dispute('b', 'won', 400, EUR)));
        expect(await world.listNotifications('commission_released')).toHaveLength(2);
      });

      test('is reversed without a notification if a refund in another currency covers the whole charge', async () => {
        await play(event('charge.refunded', charge('current', 'b', 1800, 1800, EUR)));
        expect(await world.listNotifications('second_refund_skipped')).toEqual([]);
        expect(await deducted()).toBe(400);
      });
    },
  );
}
