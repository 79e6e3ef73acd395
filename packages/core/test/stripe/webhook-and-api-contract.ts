import type Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProgram } from '../../src/management/programs.ts';
import type { AffkitOptions } from '../../src/options.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  charge,
  event,
  invoice,
  invoicePayment,
  paymentSession,
  subscriptionSession,
} from '../support/stripe-events.ts';
import { invoiceLines } from '../support/stripe-lines.ts';
import type { Shape } from '../support/stripe-shape.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { unwrap } from '../support/world.ts';

const DAY_MS = 86_400_000;

export function webhookAndApiContract(
  kind: string,
  open: OpenEngine,
  options: Partial<AffkitOptions> = {},
): void {
  describe(`a payment reported by webhook and API on ${kind}`, () => {
    let world: WebhookWorld;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open(), {}, options);
    });
    afterEach(() => auditAndClose(world));

    const now = () => ({ created: Math.floor(world.clock.now / 1000) });
    const paid = (name: string) =>
      world.outcome(event('invoice.paid', invoice('current', name, 'a', world.metadata), now()));
    const connectIds = (name: string) =>
      world.outcome(event('invoice_payment.paid', invoicePayment(name), now()));
    const subscribed = () =>
      world.outcome(event('checkout.session.completed', subscriptionSession('a', world.metadata)));
    const refunded = (cents: number, amount?: number, fields: Shape<Stripe.Charge> = {}) =>
      world.outcome(event('charge.refunded', charge('current', 'a', cents, amount, fields)));
    const statuses = async () => (await world.commissions()).map(({ id, status }) => `${id} ${status}`);
    const balance = async () => (await world.balances()).program['USD'] ?? 0;
    const payAll = async () => {
      const path = `/api/advertiser/affiliate-programs/${world.program.id}/payouts`;
      const { body } = await world.call('POST', path, {}, world.session);
      for (const { id } of body['data'] as { id: number }[]) {
        await world.call('POST', `${path}/${id}/mark-paid`, {}, world.session);
      }
    };

    test.each(['webhook', 'API'])('earns nothing below the minimum if reported by %s', async (source) => {
      const settings = { min_sale_cents: 2000 };
      unwrap(await changeProgram(world.affkit.runtime, world.program, settings));
      if (source === 'webhook')
        expect(await world.outcome(world.completed('a'))).toBe('sale_recorded: below_min_sale');
      else expect((await world.sell({ transaction_id: 'pi_a' })).body['reason']).toBe('below_min_sale');
      expect(await world.commissions()).toEqual([]);
      expect(await refunded(1999, 1999)).toBe('refund_skipped: no_commission');
    });

    test.each(['webhook', 'API'])(
      'earns a commission that needs approval if only a browser has claimed its customer key (%s)',
      async (source) => {
        const click_id = await world.click('ben');
        await world.call('POST', '/api/v1/track/lead', { click_id, customer_key: 'user-2' });
        const metadata = { ...world.metadata, service_customer_key: 'user-2' };
        if (source === 'API') await world.sell({ transaction_id: 'pi_a', customer_key: 'user-2' });
        else await world.outcome(event('checkout.session.completed', paymentSession('a', metadata, {})));
        const needsApproval = async () =>
          (await world.engine.read.selectFrom('commissions').select('needs_approval').execute()).map(
            (row) => row.needs_approval,
          );
        expect(await needsApproval()).toEqual([1]);
        const proven = { ...metadata, service_click_id: click_id };
        await world.outcome(event('checkout.session.completed', paymentSession('b', proven, {})));
        expect(await needsApproval()).toEqual([0, 0]);
      },
    );

    describe('as the first payment of a subscription', () => {
      test.each([
        ['no subscription', {}],
        ['another subscription id', { subscription_id: 'plan-17' }],
      ])(
        'has renewals that earn commissions when the API reported the payment with %s',
        async (_of, fields) => {
          await world.sell({ transaction_id: 'order-1', processor_refs: ['in_a'], ...fields });
          expect(await subscribed()).toBe('duplicate');
          // Long after the attribution window.
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
        },
      );

      test('earns commissions for renewals even if the sale that names the subscription was rejected as a duplicate', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        world.clock.now += 1;
        await paid('a');
        await connectIds('a');
        expect(await statuses()).toEqual(['pi_a approved', 'in_a rejected']);
        world.clock.now += 70 * DAY_MS;
        expect(await paid('b')).toBe('sale_recorded');
      });
    });

    describe('with two sales of which only one earned a commission', () => {
      test.each(['api first', 'webhook first'])(
        'preserves the sale that earned a commission: %s',
        async (order) => {
          await paid('a');
          world.clock.now += 70 * DAY_MS;
          const reports = [() => world.sell({ transaction_id: 'pi_b' }), () => paid('b')];
          for (const report of order === 'api first' ? reports : reports.reverse()) {
            await report();
            world.clock.now += 1;
          }
          expect(await connectIds('b')).toBe('tied');
          expect(await statuses()).toEqual(['in_a approved', 'in_b approved']);
        },
      );

      test('preserves the sale that was not rejected manually', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        world.clock.now += 1;
        await paid('a');
        const path = `/api/advertiser/affiliate-programs/${world.program.id}/commissions/1/reject`;
        expect(await world.call('POST', path, {}, world.session)).toMatchObject({ status: 200 });
        await connectIds('a');
        expect(await statuses()).toEqual(['pi_a rejected', 'in_a approved']);
      });
    });

    test('rejects the commission of the sale whose key only a browser claimed, and keeps the other one', async () => {
      const click_id = await world.click('ben');
      await world.call('POST', '/api/v1/track/lead', { click_id, customer_key: 'user-2' });
      await world.sell({ transaction_id: 'pi_a', customer_key: 'user-2' });
      world.clock.now += 1;
      await paid('a');
      await connectIds('a');
      expect(await statuses()).toEqual(['pi_a rejected', 'in_a approved']);
    });

    test('has renewals that are recognized by the subscription id of the duplicate', async () => {
      await paid('a');
      world.clock.now += 1;
      await world.sell({ transaction_id: 'pi_a', subscription_id: 'plan-17' });
      await connectIds('a');
      expect(await statuses()).toEqual(['in_a approved', 'pi_a rejected']);
      world.clock.now += 70 * DAY_MS;
      const renewal = { transaction_id: 'order-2', subscription_id: 'plan-17' };
      expect(await world.sell(renewal)).toMatchObject({ status: 200, body: { commission_id: 3 } });
    });

    test('is not mistaken for a renewal when a transaction id equals a subscription id', async () => {
      const policies = `/api/advertiser/affiliate-programs/${world.program.id}/commission-policies`;
      await world.call('PUT', `${policies}/1`, { recurring_months: 0 }, world.session);
      await world.sell({ transaction_id: '17' });
      const first = await world.sell({ transaction_id: '18', subscription_id: '17' });
      expect(first).toMatchObject({ status: 200, body: { commission_id: 2 } });
    });

    test('reports a repeated request as identical after a webhook has added products to its sale', async () => {
      const sell = (fields: object = {}) => world.sell({ transaction_id: 'in_a', ...fields });
      await sell();
      const lines = invoiceLines('current', 'a', [{ name: 'pro', amount: 1999 }]);
      const paid = invoice('current', 'a', 'a', world.metadata, { lines });
      expect(await world.outcome(event('invoice.paid', paid))).toBe('duplicate');
      expect((await sell()).body).toMatchObject({ identical: true });
      const line_items = [{ product_id: 'other', amount_cents: 1999 }];
      expect((await sell({ line_items })).body).toMatchObject({ identical: false });
    });

    test('reports a repeated request as identical after its sale was merged into another', async () => {
      await paid('a');
      world.clock.now += 1;
      await world.sell({ transaction_id: 'pi_a' });
      await connectIds('a');
      expect(await statuses()).toEqual(['in_a approved', 'pi_a rejected']);
      const again = await world.sell({ transaction_id: 'pi_a' });
      expect(again).toMatchObject({ status: 409, body: { identical: true } });
    });

    describe('with two sales that both have a commission', () => {
      test('copies the refund of the first sale to the second', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        world.clock.now += 1;
        await world.track('refund', { transaction_id: 'pi_a' });
        await paid('a');
        await payAll();
        await connectIds('a');
        expect(await balance()).toBe(-400);
        expect(await refunded(1999)).toBe('refund_skipped: already_applied');
        expect(await balance()).toBe(-400);
      });

      test('copies a partial refund of the second sale to the first', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        await payAll();
        world.clock.now += 1;
        await paid('a');
        await world.track('refund', { transaction_id: 'in_a', refund_amount_cents: 500 });
        await payAll();
        await connectIds('a');
        const commissions = await world.commissions();
        expect(commissions.map((one) => one.deducted_cents)).toEqual([100, 400]);
      });

      test.each([
        ['the whole of a sale with another amount', 2500, undefined, 1999, 500],
        ['half of a sale in another currency', 300_000, 'JPY', 1000, 30_015],
      ])('copies a refund in proportion: %s', async (_of, amount_cents, currency, refund, deducted) => {
        await world.sell({ transaction_id: 'pi_a', amount_cents, currency });
        await payAll();
        world.clock.now += 1;
        await paid('a');
        await payAll();
        await world.track('refund', { transaction_id: 'in_a', refund_amount_cents: refund });
        await connectIds('a');
        const [first] = await world.commissions();
        expect(first).toMatchObject({ id: 'pi_a', deducted_cents: deducted });
      });
    });

    describe('with a refund', () => {
      test('parks no refund if the event only reports that an uncaptured amount was released', async () => {
        expect(await refunded(2000, 2000, { amount_captured: 0 })).toBe('tied');
        expect(await refunded(500, 2000, { amount_captured: 1500 })).toBe('tied');
      });

      test('is reversed by a refund in another currency only when the whole charge is refunded', async () => {
        await world.sell({ transaction_id: 'pi_a' });
        expect(await refunded(500, 1850, { currency: 'eur' })).toBe('refund_skipped: currency_differs');
        expect(await refunded(1850, 1850, { currency: 'eur' })).toBe('refunded: reversed');
        expect(await balance()).toBe(0);
      });

      test.each([
        ['deducts nothing when only the uncaptured amount was released', 500, {}, 300],
        ['deducts what was refunded beyond the uncaptured amount', 1000, {}, 200],
        ['deducts everything when everything was refunded', 2000, {}, 0],
        ['deducts everything when the charge is marked as refunded', 1500, { refunded: true }, 0],
      ])('after a partial capture: %s', async (_what, cents, fields, left) => {
        await world.sell({ transaction_id: 'pi_a', amount_cents: 1500 });
        await refunded(cents, 2000, { amount_captured: 1500, ...fields });
        expect(await balance()).toBe(left);
      });
    });
  });
}
