import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/books.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { charge, event, invoice, invoicePayment, subscriptionSession } from '../support/stripe-events.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';

const DAY_MS = 86_400_000;

/** What is told of a payment by webhook and by API, in parts, on any engine. */
export function twoReportsContract(kind: string, open: OpenEngine): void {
  describe(`a payment that webhook and API tell in parts, on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
    });
    afterEach(() => auditAndClose(world));

    const now = () => ({ created: Math.floor(world.clock.now / 1000) });
    const paid = (name: string) =>
      world.outcome(event('invoice.paid', invoice('basil', name, 'a', world.metadata), now()));
    const tie = (name: string) => world.outcome(event('invoice_payment.paid', invoicePayment(name), now()));
    const subscribed = () =>
      world.outcome(event('checkout.session.completed', subscriptionSession('a', world.metadata)));
    const refunded = (cents: number, amount?: number, fields = {}) =>
      world.outcome(event('charge.refunded', charge('basil', 'a', cents, amount, fields)));
    const statuses = async () => (await world.commissions()).map(({ id, status }) => `${id} ${status}`);
    const owed = async () => (await world.balances()).program['USD'] ?? 0;
    const payAll = async () => {
      const path = `/api/advertiser/affiliate-programs/${world.program.id}/payouts`;
      const { body } = await world.call('POST', path, {}, world.session);
      for (const { id } of body['data'] as { id: number }[]) {
        await world.call('POST', `${path}/${id}/mark-paid`, {}, world.session);
      }
    };

    describe('as the first of a subscription', () => {
      test.each([
        ['no subscription', {}],
        ['a subscription of its own', { subscription_id: 'plan-17' }],
      ])('earns by its renewals where the API told the payment with %s', async (_of, fields) => {
        await world.sell({ transaction_id: 'order-1', processor_refs: ['in_a'], ...fields });
        expect(await subscribed()).toBe('duplicate');
        // Long after the window of the click.
        world.clock.now += 70 * DAY_MS;
        expect(await paid('b')).toBe('sale_recorded');
        world.clock.now += 30 * DAY_MS;
        expect(await paid('c')).toBe('sale_recorded');
        const rows = await world.engine.read
          .selectFrom('commissions')
          .select('first_commission_id')
          .orderBy('id')
          .execute();
        expect(rows.map((row) => row.first_commission_id)).toEqual([null, 1, 1]);
      });

      test('earns by its renewals where the sale that named the subscription was the duplicate', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        world.clock.now += 1;
        await paid('a');
        await tie('a');
        expect(await statuses()).toEqual(['pi_a approved', 'in_a rejected']);
        world.clock.now += 70 * DAY_MS;
        expect(await paid('b')).toBe('sale_recorded');
      });
    });

    describe('of which one alone earned', () => {
      test.each(['api first', 'webhook first'])('keeps that one: %s', async (order) => {
        await paid('a');
        world.clock.now += 70 * DAY_MS;
        const reports = [() => world.sell({ transaction_id: 'pi_b' }), () => paid('b')];
        for (const report of order === 'api first' ? reports : reports.reverse()) {
          await report();
          world.clock.now += 1;
        }
        expect(await tie('b')).toBe('tied');
        expect(await statuses()).toEqual(['in_a approved', 'in_b approved']);
      });

      test('keeps the one that was not rejected by hand', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        world.clock.now += 1;
        await paid('a');
        const path = `/api/advertiser/affiliate-programs/${world.program.id}/commissions/1/reject`;
        expect(await world.call('POST', path, {}, world.session)).toMatchObject({ status: 200 });
        await tie('a');
        expect(await statuses()).toEqual(['pi_a rejected', 'in_a approved']);
      });
    });

    test('has its renewals known by a subscription that the duplicate alone named', async () => {
      await paid('a');
      world.clock.now += 1;
      await world.sell({ transaction_id: 'pi_a', subscription_id: 'plan-17' });
      await tie('a');
      expect(await statuses()).toEqual(['in_a approved', 'pi_a rejected']);
      world.clock.now += 70 * DAY_MS;
      const renewal = { transaction_id: 'order-2', subscription_id: 'plan-17' };
      expect(await world.sell(renewal)).toMatchObject({ status: 200, body: { commission_id: 3 } });
    });

    test('is not taken for a subscription by an id that is none', async () => {
      const policies = `/api/advertiser/affiliate-programs/${world.program.id}/commission-policies`;
      await world.call('PUT', `${policies}/1`, { recurring_months: 0 }, world.session);
      await world.sell({ transaction_id: '17' });
      const first = await world.sell({ transaction_id: '18', subscription_id: '17' });
      expect(first).toMatchObject({ status: 200, body: { commission_id: 2 } });
    });

    test('answers a repeat as identical though another sale has come to stand for it', async () => {
      await paid('a');
      world.clock.now += 1;
      await world.sell({ transaction_id: 'pi_a' });
      await tie('a');
      expect(await statuses()).toEqual(['in_a approved', 'pi_a rejected']);
      const again = await world.sell({ transaction_id: 'pi_a' });
      expect(again).toMatchObject({ status: 409, body: { identical: true } });
    });

    describe('both of whose commissions stay', () => {
      test('takes from the second what was refunded of the first', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        world.clock.now += 1;
        await world.track('refund', { transaction_id: 'pi_a' });
        await paid('a');
        await payAll();
        await tie('a');
        expect(await owed()).toBe(-400);
        expect(await refunded(1999)).toBe('refund_skipped: already_applied');
        expect(await owed()).toBe(-400);
      });

      test('takes from the first what was refunded of the second, in part', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        await payAll();
        world.clock.now += 1;
        await paid('a');
        await world.track('refund', { transaction_id: 'in_a', refund_amount_cents: 500 });
        await payAll();
        await tie('a');
        const commissions = await world.commissions();
        expect(commissions.map((one) => one.deducted_cents)).toEqual([100, 100]);
      });

      test.each([
        ['all of a sale of another amount', 2500, undefined, 1999, 500],
        ['half of a sale in another currency', 300_000, 'JPY', 1000, 30_015],
      ])('takes as much of %s', async (_of, amount_cents, currency, refund, deducted) => {
        await world.sell({ transaction_id: 'pi_a', amount_cents, currency });
        await payAll();
        world.clock.now += 1;
        await paid('a');
        await payAll();
        await world.track('refund', { transaction_id: 'in_a', refund_amount_cents: refund });
        await tie('a');
        const [first] = await world.commissions();
        expect(first).toMatchObject({ id: 'pi_a', deducted_cents: deducted });
      });
    });

    describe('that is refunded', () => {
      test('waits for nothing where only that was released which was never captured', async () => {
        expect(await refunded(2000, 2000, { amount_captured: 0 })).toBe('tied');
        expect(await refunded(500, 2000, { amount_captured: 1500 })).toBe('tied');
      });

      test('in another currency, in two steps, is taken back once it is all of the charge', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        expect(await refunded(500, 1850, { currency: 'eur' })).toBe('refund_skipped: currency_differs');
        expect(await refunded(1850, 1850, { currency: 'eur' })).toBe('refunded: reversed');
        expect(await owed()).toBe(0);
      });

      test.each([
        ['nothing where only that was released which was never captured', 500, {}, 300],
        ['what was given back besides', 1000, {}, 200],
        ['all where all was given back', 2000, {}, 0],
        ['all, by whichever sum a whole refund is told', 1500, { refunded: true }, 0],
      ])('after a partial capture: %s', async (_what, cents, fields, left) => {
        await world.sell({ transaction_id: 'pi_a', amount_cents: 1500 });
        await refunded(cents, 2000, { amount_captured: 1500, ...fields });
        expect(await owed()).toBe(left);
      });
    });
  });
}
