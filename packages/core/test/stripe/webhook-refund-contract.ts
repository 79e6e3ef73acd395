import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rejectCommission } from '../../src/management/commissions.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { runConcurrently } from '../support/management-world.ts';
import { CREATED, event, invoice, invoicePayment, paymentSession } from '../support/stripe-events.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { START, unwrap } from '../support/world.ts';

const HOUR = 3_600_000;

export function webhookRefundContract(kind: string, open: OpenEngine): void {
  describe(`a webhook refund on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
    });
    afterEach(() => auditAndClose(world));

    test.each([
      [500, 1999, 'refunded: refunded', 'refunded', 100],
      [1998, 1999, 'refunded: refunded', 'refunded', 400],
      [1999, 1999, 'refunded: reversed', 'reversed', 400],
      [2100, 2379, 'refunded: reversed', 'reversed', 400],
      [2379, 2379, 'refunded: reversed', 'reversed', 400],
      [0, 1999, 'refund_skipped: already_applied', 'approved', 0],
    ])('deducts its share (%d of %d cents)', async (cents, amount, outcome, status, deducted) => {
      expect(await world.outcomes(world.completed('a'), world.refunded('a', cents, amount))).toEqual([
        'sale_recorded',
        outcome,
      ]);
      expect(await world.commissions()).toEqual([{ id: 'pi_a', status, deducted_cents: deducted }]);
      expect((await world.balances()).program).toEqual({ USD: 400 - deducted });
    });

    test('is deducted once for 20 concurrent copies of an event, and for 20 events of a charge', async () => {
      await world.outcome(world.completed('a'));
      const same = world.refunded('a', 500);
      expect((await runConcurrently(20, () => world.outcome(same))).sort()).toEqual([
        ...Array(19).fill('duplicate: event_repeated'),
        'refunded: refunded',
      ]);
      expect(new Set(await runConcurrently(20, () => world.outcome(world.refunded('a', 500))))).toEqual(
        new Set(['refund_skipped: already_applied']),
      );
      expect(await world.commissions()).toMatchObject([{ deducted_cents: 100 }]);
    });

    test('deducts each further refund of a charge, until nothing is left', async () => {
      await world.outcomes(world.completed('a'), world.refunded('a', 500));
      const second = world.refunded('a', 1500);
      expect(await world.outcomes(second, second, world.refunded('a', 1500))).toEqual([
        'refunded: refunded',
        'duplicate: event_repeated',
        'refund_skipped: already_applied',
      ]);
      expect(await world.commissions()).toMatchObject([{ status: 'refunded', deducted_cents: 300 }]);
      expect(await world.outcomes(world.refunded('a', 1999))).toEqual(['refunded: reversed']);
      expect(await world.commissions()).toMatchObject([{ status: 'reversed', deducted_cents: 400 }]);
      expect((await world.balances()).program).toEqual({ USD: 0 });
      expect(await world.listNotifications('second_refund_skipped')).toEqual([]);
    });

    test('deducts the refunded total of a charge once, even if an event with a smaller total arrives later', async () => {
      await world.outcome(world.completed('a'));
      expect(await world.outcomes(world.refunded('a', 1500), world.refunded('a', 500))).toEqual([
        'refunded: refunded',
        'refund_skipped: already_applied',
      ]);
      expect(await world.commissions()).toMatchObject([{ deducted_cents: 300 }]);
      expect(
        await world.outcomes(world.refunded('b', 1500), world.refunded('b', 500), world.completed('b')),
      ).toEqual(['parked: payment_unknown', 'parked: payment_unknown', 'sale_recorded']);
      expect(await world.commissions()).toMatchObject([{}, { deducted_cents: 300 }]);
      expect(await world.listNotifications('second_refund_skipped')).toEqual([]);
    });

    test('is deducted once if the API reports it too, in either order', async () => {
      await world.outcomes(world.completed('a'), world.completed('b'), world.completed('c'));
      await world.track('refund', { transaction_id: 'pi_a', refund_amount_cents: 500 });
      expect(await world.outcomes(world.refunded('a', 500), world.refunded('a', 700))).toEqual([
        'refund_skipped: already_applied',
        'refunded: refunded',
      ]);
      await world.track('refund', { transaction_id: 'pi_b' });
      expect(await world.outcomes(world.refunded('b', 2379, 2379))).toEqual([
        'refund_skipped: already_applied',
      ]);
      await world.outcome(world.refunded('c', 1999));
      expect(await world.track('refund', { transaction_id: 'pi_c' })).toMatchObject({
        body: { status: 'skipped' },
      });
      expect(await world.listNotifications('second_refund_skipped')).toEqual([]);
      expect(await world.commissions()).toMatchObject([
        { deducted_cents: 140 },
        { deducted_cents: 400 },
        { deducted_cents: 400 },
      ]);
    });

    test('is deducted once if API and webhook report it concurrently', async () => {
      for (const name of ['a', 'b', 'c', 'd']) {
        await world.outcome(world.completed(name));
        const calls = [
          () => world.send(world.refunded(name, 500)),
          () => world.track('refund', { transaction_id: `cs_${name}`, refund_amount_cents: 500 }),
        ];
        if (name > 'b') calls.reverse();
        await Promise.all(calls.map((call) => call()));
      }
      expect((await world.commissions()).map((row) => row.deducted_cents)).toEqual([100, 100, 100, 100]);
      expect(await world.listNotifications('second_refund_skipped')).toEqual([]);
    });

    test('is counted separately for each of two charges of an invoice', async () => {
      await world.outcome(event('invoice.paid', invoice('current', 'a', 'a', world.metadata)));
      for (const part of ['a1', 'a2']) {
        const paid = event('invoice_payment.paid', invoicePayment(part, { invoice: 'in_a' }));
        expect(await world.outcome(paid)).toBe('tied');
      }
      expect(await world.outcomes(world.refunded('a1', 500, 1000), world.refunded('a2', 500, 999))).toEqual([
        'refunded: refunded',
        'refunded: refunded',
      ]);
      expect(await world.commissions()).toMatchObject([{ deducted_cents: 200 }]);
    });

    test('is skipped while both charges together refund no more than the API has reported', async () => {
      await world.outcome(event('invoice.paid', invoice('current', 'a', 'a', world.metadata)));
      for (const part of ['a1', 'a2']) {
        await world.outcome(event('invoice_payment.paid', invoicePayment(part, { invoice: 'in_a' })));
      }
      await world.track('refund', { transaction_id: 'in_a', refund_amount_cents: 800 });
      expect(
        await world.outcomes(
          world.refunded('a1', 500, 1000),
          world.refunded('a2', 300, 999),
          world.refunded('a2', 500, 999),
          world.refunded('a1', 500, 1000),
        ),
      ).toEqual([
        'refund_skipped: already_applied',
        'refund_skipped: already_applied',
        'refunded: refunded',
        'refund_skipped: already_applied',
      ]);
      expect(await world.commissions()).toMatchObject([{ deducted_cents: 200 }]);
    });

    test('is skipped if its currency differs from that of the sale, unless it refunds the whole payment', async () => {
      await world.outcomes(world.completed('a'), world.completed('b'));
      expect(
        await world.outcomes(
          world.refunded('a', 500, 1800, { currency: 'eur' }),
          world.refunded('b', 1800, 1800, { currency: 'eur' }),
        ),
      ).toEqual(['refund_skipped: currency_differs', 'refunded: reversed']);
      expect(await world.commissions()).toMatchObject([{ deducted_cents: 0 }, { deducted_cents: 400 }]);
      expect(await world.listNotifications('second_refund_skipped')).toMatchObject([
        { payload: { refundAmountCents: 500, refundCurrency: 'EUR' } },
      ]);
    });

    test('is skipped if the sale has no commission or a rejected one', async () => {
      world.clock.now += 61 * 24 * HOUR;
      await world.outcome({ ...world.completed('a'), created: world.clock.now / 1000 });
      expect(await world.outcome(world.refunded('a', 1999))).toBe('refund_skipped: no_commission');
      await world.click('anna', {});
      const click = await world.click('anna');
      const data = { program_id: world.metadata.program_id, service_click_id: click };
      await world.outcome({
        ...event('checkout.session.completed', paymentSession('b', data)),
        created: world.clock.now / 1000,
      });
      const { id } = await world.engine.read.selectFrom('commissions').select('id').executeTakeFirstOrThrow();
      unwrap(await rejectCommission(world.affkit.runtime, world.program, id));
      expect(await world.outcome(world.refunded('b', 1999))).toBe('refund_skipped: commission_was_rejected');
      expect(await world.listNotifications('second_refund_skipped')).toEqual([]);
    });

    test('is stored with its reason and the time of its event', async () => {
      const refunds = { object: 'list', data: [{ id: 're_1', reason: 'fraudulent' }] } as const;
      const late = { ...world.refunded('a', 500, 1999, { refunds }), created: CREATED - 60 };
      await world.outcomes(world.completed('a'), late);
      const rows = await world.engine.read.selectFrom('refunds').selectAll().execute();
      expect(rows).toMatchObject([{ reason: 'fraudulent', refund_at: START - 60_000, created_at: START }]);
    });
  });
}
