import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorkspace } from '../src/management/workspaces.ts';
import { auditBooks } from './books.ts';
import type { OpenEngine } from './engine-kinds.ts';
import { type ApiVersion, charge, event, invoice, invoicePayment, paymentSession } from './stripe-events.ts';
import { makeWebhookWorld, type WebhookWorld } from './webhook-world.ts';
import { addProgram } from './world.ts';

/** What comes of ids that nothing tied together in time, or that somebody else has taken, on any engine. */
export function webhookTwinsContract(kind: string, open: OpenEngine): void {
  describe(`ids of a payment, on ${kind}`, () => {
    let world: WebhookWorld;
    beforeEach(async () => {
      world = await makeWebhookWorld(await open());
    });
    afterEach(async () => {
      expect(await auditBooks(world.engine)).toEqual([]);
      await world.affkit.close();
    });
    const api = async (transaction_id: string) => {
      const reply = await world.track('sale', { transaction_id, amount_cents: 1999, customer_key: 'user-1' });
      return reply.status === 200 ? 'sale_recorded' : String(reply.status);
    };
    const parts = (version: ApiVersion): Readonly<Record<string, () => Promise<string>>> => ({
      api: () => api('pi_a'),
      invoice: () => world.outcome(event('invoice.paid', invoice(version, 'a', 'a', world.metadata))),
      tie: () => world.outcome(event('invoice_payment.paid', invoicePayment('a'))),
    });

    test.each([
      ['basil', ['api', 'invoice', 'tie']],
      ['basil', ['invoice', 'api', 'tie']],
      ['basil', ['tie', 'invoice', 'api']],
      ['basil', ['api', 'tie', 'invoice']],
      ['acacia', ['api', 'invoice', 'tie']],
      ['acacia', ['invoice', 'api', 'tie']],
    ] as const)('told in any order earn once (%s: %s)', async (version, order) => {
      const all = parts(version);
      for (const name of order) {
        await all[name]?.();
        world.clock.now += 1;
      }
      const standing = (await world.commissions()).filter(({ status }) => status !== 'rejected');
      expect(standing).toHaveLength(1);
      expect((await world.balances()).program).toEqual({ USD: 400 });
      await world.outcome(event('charge.refunded', charge(version, 'a', 1999)));
      expect((await world.balances()).program).toEqual({ USD: 0 });
    });

    test('that a tie finds on two sales are the first one’s, and the advertiser is told once', async () => {
      const all = parts('basil');
      for (const name of ['api', 'invoice', 'tie', 'tie']) {
        await all[name]?.();
        world.clock.now += 1;
      }
      expect(await world.commissions()).toMatchObject([
        { id: 'pi_a', status: 'approved' },
        { id: 'in_a', status: 'rejected' },
      ]);
      expect(await world.notices('sale_recorded_twice')).toMatchObject([
        { payload: { transactionId: 'pi_a', twinTransactionId: 'in_a', isTwinRejected: true } },
      ]);
      const refund = await world.track('refund', { transaction_id: 'in_a' });
      expect(refund.body).toMatchObject({ status: 'reversed', deductionAmount: 4 });
      expect((await world.balances()).program).toEqual({ USD: 0 });
    });

    test('that another workspace has taken block no payment of this one', async () => {
      const { id } = await createWorkspace(world.affkit.runtime, { name: 'Thief', ownerId: 1 });
      const thief = await addProgram(world, id, 'carl');
      const click_id = await world.click('carl');
      const stolen = { transaction_id: 'pi_a', amount_cents: 1, click_id };
      const { authorization } = thief;
      expect((await world.call('POST', '/api/v1/track/sale', stolen, { authorization })).status).toBe(200);
      const completed = event('checkout.session.completed', paymentSession('a', world.metadata));
      expect(await world.outcome(completed)).toBe('sale_recorded');
      expect(await world.outcome({ ...completed, id: 'evt_again' })).toBe('duplicate');
      expect((await world.balances()).program).toEqual({ USD: 400 });
      expect(await world.outcome(event('charge.refunded', charge('acacia', 'a', 1999)))).toBe(
        'refunded: reversed',
      );
    });

    test('of two charges of one sale are each refunded for themselves', async () => {
      await world.outcome(event('checkout.session.completed', paymentSession('a', world.metadata)));
      await world.track('refund', { transaction_id: 'pi_a', refund_amount_cents: 500 });
      const refunded = (id: string) =>
        world.outcome(event('charge.refunded', { ...charge('acacia', 'a', 500), id }));
      expect(await refunded('ch_a')).toBe('refund_skipped: already_applied');
      expect(await refunded('ch_b')).toBe('refund_skipped: already_reversed');
      expect(await world.notices('second_refund_skipped')).toMatchObject([
        { payload: { charge: 'ch_b', refundAmountCents: 500 } },
      ]);
    });
  });
}
