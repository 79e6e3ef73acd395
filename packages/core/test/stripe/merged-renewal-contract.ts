import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProgram } from '../../src/management/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { event, invoice, invoicePayment } from '../support/stripe-events.ts';
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

export function mergedRenewalContract(kind: string, open: OpenEngine): void {
  describe(`a renewal that was recorded as two sales on ${kind}`, () => {
    let world: WebhookWorld;
    let startedAt: string;
    /** Sends a tracking call of another program, with a customer of that program. */
    let other: (call: string, body: object) => Promise<Reply>;

    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
      const click_id = await world.click('anna');
      await world.track('lead', { click_id, customer_key: 'user-2' });
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
