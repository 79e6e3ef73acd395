import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProgram } from '../../src/management/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { dispute, event, invoice, invoicePayment } from '../support/stripe-events.ts';
import { summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { makeWebhookWorld, type WebhookWorld } from '../support/webhook-world.ts';
import { addProgram, type Reply, signInOwner, unwrap } from '../support/world.ts';

const DAY_MS = 86_400_000;

/** The ways in which the API may report the payment that the webhook reports as a renewal of `sub_a`. */
const API_SALES: Readonly<Record<string, (world: WebhookWorld) => Promise<unknown>>> = {
  'without a subscription': (world) => world.sell({ transaction_id: 'pi_b' }),
  'with the same subscription': (world) => world.sell({ transaction_id: 'pi_b', subscription_id: 'sub_a' }),
  'with another subscription id': (world) =>
    world.sell({ transaction_id: 'pi_b', subscription_id: 'plan-17' }),
  'with an amount below the minimum': async (world) => {
    unwrap(await changeProgram(world.affkit.runtime, world.program, { min_sale_cents: 1500 }));
    return world.sell({ transaction_id: 'pi_b', amount_cents: 1000 });
  },
  'for another customer': (world) => world.sell({ transaction_id: 'pi_b', customer_key: 'user-2' }),
};

/** How the API may report the same payment for somebody else, whose own subscription has earned nothing. */
const FOREIGN_SALES: Readonly<Record<string, readonly [customer: string, subscriptionId: string]>> = {
  'another customer, with the same subscription': ['user-2', 'sub_a'],
  'another customer, with another subscription id': ['user-2', 'plan-17'],
  'a customer of another partner, with another subscription id': ['user-3', 'plan-17'],
  'another program, with the same subscription': ['user-9', 'sub_a'],
  'another program, with another subscription id': ['user-9', 'plan-17'],
};

export function mergedRenewalContract(kind: string, open: OpenEngine): void {
  describe(`a renewal that was recorded as two sales on ${kind}`, () => {
    let world: WebhookWorld;
    let startedAt: string;
    /** Sends a tracking call of another program, with a customer of that program. */
    let other: (call: string, body: object) => Promise<Reply>;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      await world.track('lead', { click_id: await world.click('anna'), customer_key: 'user-2' });
      await world.track('lead', { click_id: await world.click('ben'), customer_key: 'user-3' });
      const { authorization } = await addProgram(world, world.workspaceId, 'carl');
      other = (call, body) =>
        world.call('POST', `/api/v1/track/${call}`, { ...body, customer_key: 'user-9' }, { authorization });
      const affiliate_url = 'https://other.example/?aff=carl';
      await other('lead', { click_id: await world.click('carl', { affiliate_url }) });
      startedAt = new Date(world.clock.now).toISOString();
      // Long after the attribution window.
      world.clock.now += 70 * DAY_MS;
    });
    afterEach(() => auditAndClose(world));

    const created = () => ({ created: Math.floor(world.clock.now / 1000) });
    const renewed = () => {
      world.clock.now += 1;
      return world.outcome(event('invoice.paid', invoice('current', 'b', 'a', world.metadata), created()));
    };
    const connectIds = () => world.outcome(event('invoice_payment.paid', invoicePayment('b'), created()));
    const refund = (transaction_id: string) =>
      world.track('refund', { transaction_id, refund_id: 'r-1', refund_amount_cents: 500 });
    const payFirst = () =>
      world.sell({ transaction_id: 'in_a', subscription_id: 'sub_a', occurred_at: startedAt });
    const statuses = async () => (await world.commissions()).map(({ id, status }) => `${id} ${status}`);
    const balance = async () => (await world.balances()).program['USD'] ?? 0;

    describe.each(Object.entries(API_SALES))('by webhook, and by API %s', (_way, report) => {
      test('earns once if the first payment of the subscription is reported before the renewal', async () => {
        await payFirst();
        await report(world);
        expect(await renewed()).toBe('sale_recorded');
        await connectIds();
        expect(await balance()).toBe(800);
      });

      test('earns once if the first payment of the subscription is reported after the sales were merged', async () => {
        await report(world);
        expect(await renewed()).toBe('sale_recorded: window_expired');
        expect(await connectIds()).toBe('tied');
        await payFirst();
        expect(await balance()).toBe(800);
      });

      test('is refunded once if the refund arrives before its commission', async () => {
        await report(world);
        await renewed();
        await connectIds();
        expect((await refund('in_b')).body).toMatchObject({ status: 'no_commission' });
        expect((await refund('pi_b')).body).toMatchObject({ status: 'no_commission' });
        await payFirst();
        expect(await balance()).toBe(700);
      });
    });

    describe.each(Object.entries(FOREIGN_SALES))(
      'by webhook, and by API for %s',
      (_whose, [customer, id]) => {
        const sell = async (sale: object) => {
          const body = { amount_cents: 1999, subscription_id: id, customer_key: customer, ...sale };
          const { status } = await (customer === 'user-9' ? other('sale', body) : world.track('sale', body));
          expect(status).toBe(200);
        };
        const report = () => sell({ transaction_id: 'pi_b' });
        const merge = async () => {
          await report();
          expect(await renewed()).toBe('sale_recorded: window_expired');
          expect(await connectIds()).toBe('tied');
        };

        test('earns once if the first payment of the subscription is reported before the renewal', async () => {
          await payFirst();
          await report();
          expect(await renewed()).toBe('sale_recorded');
          await connectIds();
          expect(await statuses()).toEqual(['in_a approved', 'in_b approved']);
          expect(await balance()).toBe(800);
        });

        test('earns once if the first payment of the subscription is reported after the sales were merged', async () => {
          await merge();
          await payFirst();
          expect(await statuses()).toEqual(['in_a approved', 'in_b approved']);
          expect(await balance()).toBe(800);
          // The payment has earned, so it does not earn again for the customer whom the API named.
          await sell({ transaction_id: 'order-1', occurred_at: startedAt });
          expect(await statuses()).toEqual(['in_a approved', 'in_b approved', 'order-1 approved']);
        });

        test('earns once if the subscription that the API named earns first', async () => {
          await merge();
          await sell({ transaction_id: 'order-1', occurred_at: startedAt });
          expect(await statuses()).toEqual(['order-1 approved', 'pi_b approved']);
          await payFirst();
          expect(await statuses()).toEqual(['order-1 approved', 'pi_b approved', 'in_a approved']);
        });

        test('does not earn again after the advertiser rejected its commission', async () => {
          await merge();
          await payFirst();
          const path = `/api/advertiser/affiliate-programs/${world.program.id}/commissions/2/reject`;
          expect(await world.call('POST', path, {}, await signInOwner(world))).toMatchObject({ status: 200 });
          await sell({ transaction_id: 'order-1', occurred_at: startedAt });
          expect(await statuses()).toEqual(['in_a approved', 'in_b rejected', 'order-1 approved']);
        });

        test('is refunded once if its refund and its dispute arrive before its commission', async () => {
          await merge();
          await world.outcomes(
            world.refunded('b', 500),
            event('charge.dispute.created', dispute('b', 'needs_response', 500)),
          );
          expect((await refund('in_b')).body).toMatchObject({ status: 'no_commission' });
          await payFirst();
          expect(await balance()).toBe(600);
          expect(await world.outcome(event('charge.dispute.closed', dispute('b', 'lost', 500)))).toBe(
            'dispute_lost: refunded',
          );
          expect(await world.outcome(world.refunded('b', 1999))).toBe('refunded: reversed');
          expect(await balance()).toBe(400);
        });

        test('is shown in the trace as the sale that counts', async () => {
          await merge();
          await payFirst();
          const steps = summarizeSteps(await (await TraceClient.of(world)).steps('transaction_id=in_b'));
          expect(steps.slice(steps.indexOf('note duplicate_sale_nothing_to_reject') + 1)).toEqual(
            expect.arrayContaining(['note sale_recorded_twice', 'commission renewal_of_subscription']),
          );
          expect(await world.listNotifications('sale_recorded_twice')).toMatchObject([
            { payload: { transactionId: 'pi_b', duplicateTransactionId: 'in_b' } },
            { payload: { transactionId: 'in_b', duplicateTransactionId: 'pi_b' } },
          ]);
        });
      },
    );

    test('a renewal earns in the program of its subscription, even if the API reported it for another program', async () => {
      expect(await other('sale', { transaction_id: 'pi_b', amount_cents: 1999 })).toMatchObject({
        status: 200,
      });
      expect(await renewed()).toBe('sale_recorded: window_expired');
      expect(await connectIds()).toBe('tied');
      await payFirst();
      expect(await balance()).toBe(800);
    });

    test('does not earn again after the advertiser rejected its commission', async () => {
      await payFirst();
      await world.sell({ transaction_id: 'pi_b' });
      expect(await renewed()).toBe('sale_recorded');
      const path = `/api/advertiser/affiliate-programs/${world.program.id}/commissions/2/reject`;
      expect(await world.call('POST', path, {}, await signInOwner(world))).toMatchObject({ status: 200 });
      await connectIds();
      expect(await statuses()).toEqual(['in_a approved', 'in_b rejected']);
      expect(await balance()).toBe(400);
    });
  });
}
