import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { type PayoutWorld, payoutWorldOn } from '../support/payout-world.ts';
import { event, invoice, invoicePayment } from '../support/stripe-events.ts';
import { findStep, summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';

/** Makes the clock advance each time it is read, as a real clock does. */
function advanceAtEachReading(clock: { now: number }): void {
  let { now } = clock;
  Object.defineProperty(clock, 'now', {
    get: () => ++now,
    set: (value: number) => {
      now = value;
    },
  });
}

export function duplicateAdjustmentContract(kind: string, open: OpenEngine): void {
  describe(`a merge of two sales with commissions on ${kind}`, () => {
    let world: WebhookWorld;
    let money: PayoutWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      money = await payoutWorldOn(world);
      await world.sell({ transaction_id: 'pi_a' });
      world.clock.now += 1;
      await world.outcome(event('invoice.paid', invoice('current', 'a', 'a', world.metadata)));
      advanceAtEachReading(world.clock);
    });
    afterEach(() => auditAndClose(world));

    const adjust = async (amount_cents: number) => {
      expect(await money.adjust(2, { amount_cents, reason: 'Bonus' })).toMatchObject({ status: 200 });
      world.clock.now += 1;
    };
    const refund = (transaction_id: string, refund_amount_cents?: number) =>
      world.track('refund', { transaction_id, refund_id: 'r-1', refund_amount_cents });
    const payAll = async () => {
      for (const { id } of await money.payOut()) await money.end(id, 'mark-paid');
    };
    const merge = () => world.outcome(event('invoice_payment.paid', invoicePayment('a')));
    const duplicate = () => money.commission(2);

    describe.each([100, -100])('whose duplicate has a correction of %i cents', (cents) => {
      test('leaves only the other commission if the duplicate can still be rejected', async () => {
        await adjust(cents);
        await merge();
        expect(await duplicate()).toMatchObject({ status: 'rejected' });
        expect(await money.owed()).toEqual({ USD: [400, 400] });
      });

      test('leaves only the other commission if the duplicate is in a payout that contains the corrections', async () => {
        await adjust(cents);
        await money.payOut();
        await merge();
        expect(await duplicate()).toMatchObject({ status: 'reversed' });
        expect(await money.owed()).toEqual({ USD: [400, 0] });
      });

      test('leaves only the other commission if the duplicate was corrected after it was added to a payout', async () => {
        await money.payOut();
        await adjust(cents);
        await merge();
        expect(await duplicate()).toMatchObject({ status: 'reversed' });
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test('leaves only the other commission if the duplicate was paid', async () => {
        await adjust(cents);
        await payAll();
        await merge();
        expect(await duplicate()).toMatchObject({ status: 'reversed' });
        expect(await world.balances()).toEqual({
          program: { USD: -400 - cents },
          partner: { USD: -400 - cents },
        });
      });

      test('leaves the other commission minus the refund if the duplicate was partially refunded', async () => {
        await money.payOut();
        await refund('in_a', 500);
        await adjust(cents);
        await merge();
        expect(await duplicate()).toMatchObject({ status: 'reversed' });
        expect(await world.balances()).toEqual({ program: { USD: 300 }, partner: { USD: 300 } });
      });
    });

    test('takes back a correction that was made after the whole duplicate was refunded', async () => {
      await money.payOut();
      await refund('in_a');
      await adjust(100);
      await merge();
      expect(await duplicate()).toMatchObject({ status: 'reversed', adjusted_cents: 0 });
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
      expect(await world.listNotifications('sale_recorded_twice')).toMatchObject([
        { payload: { duplicateTransactionId: 'in_a', done: 'reversed' } },
      ]);
    });

    test('keeps the corrections of the other commission', async () => {
      await money.payOut();
      await money.adjust(1, { amount_cents: 100, reason: 'Bonus' });
      await merge();
      expect(await world.balances()).toEqual({ program: { USD: 500 }, partner: { USD: 500 } });
    });

    test('explains in the trace and to the partner that the merge takes back the corrections of the duplicate', async () => {
      await money.payOut();
      await adjust(100);
      await merge();
      await world.affkit.jobs.runOnce();
      const steps = await (await TraceClient.of(world)).steps('transaction_id=in_a');
      expect(summarizeSteps(steps)).toEqual(
        expect.arrayContaining(['adjustment raised_by_hand', 'refund reversed_as_duplicate']),
      );
      expect(findStep(steps, 'lowered_as_duplicate').detail).toMatchObject({
        commission_id: 2,
        amount_cents: -100,
        adjustment_reason: 'The payment was recorded twice, also as pi_a',
      });
      expect(summarizeSteps(steps)).not.toContain('adjustment lowered_by_hand');
      expect(await world.listNotifications('commission_adjusted')).toMatchObject([
        { payload: { amountCents: 100 } },
        { payload: { amountCents: -100, reason: 'The payment was recorded twice, also as pi_a' } },
      ]);
    });

    test('takes back the corrections once, even if several events connect the payment ids at the same time', async () => {
      await money.payOut();
      await adjust(100);
      await Promise.all([merge(), merge(), merge()]);
      expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
    });
  });
}
