import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { createPayouts } from '../../src/management/create-payouts.ts';
import { createPayoutBatch } from '../../src/management/payout-batches.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { createWorkspace } from '../../src/management/workspaces.ts';
import { createPayPalProvider } from '../../src/payout-provider/paypal.ts';
import { createStripeProvider } from '../../src/payout-provider/stripe.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { PayPalStub } from '../support/paypal-stub.ts';
import { StripeTransfersStub } from '../support/stripe-transfers-stub.ts';
import { sign } from '../support/webhook-world.ts';
import { addProgram, makeWorld, unwrap, type World } from '../support/world.ts';

const HOUR = 3_600_000;

export function payoutEventContract(kind: string, open: OpenEngine): void {
  describe(`events about payouts on ${kind}`, () => {
    let paypal: PayPalStub;
    let stripe: StripeTransfersStub;
    let world: World;
    beforeAll(async () => {
      [paypal, stripe] = await Promise.all([PayPalStub.start(), StripeTransfersStub.start()]);
    });
    afterAll(() => Promise.all([paypal.close(), stripe.close()]));
    beforeEach(async () => {
      paypal.payouts.length = 0;
      Object.assign(stripe, { faults: [] });
      stripe.transfers.length = 0;
      stripe.replies.clear();
      const payoutProviders = [createPayPalProvider(paypal.settings), createStripeProvider(stripe.settings)];
      world = await makeWorld(await open(), {}, { payoutProviders, payoutWorkspaces: 'all' });
    });
    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
    });

    /** Queues a payout of 20.00 USD to a partner in a new workspace. @returns a reader of its transfer */
    const queue = async (code: string, provider: 'paypal' | 'stripe') => {
      const { runtime } = world.affkit;
      const { id: workspaceId } = await createWorkspace(runtime, { name: code, ownerId: 1 });
      const { program, partner, authorization } = await addProgram(world, workspaceId, code);
      const sale = { transaction_id: code, amount_cents: 10_000, click_id: await world.click(code) };
      const tracked = await world.call('POST', '/api/v1/track/sale', sale, { authorization });
      expect(tracked.status).toBe(200);
      const account =
        provider === 'paypal'
          ? ({ method: 'paypal', email: `${code}@paypal.test` } as const)
          : ({ method: 'stripe', stripe_account_id: 'acct_1032D82eZvKYlo2C' } as const);
      await changePayoutDetails(runtime, { id: partner.partnerId, workspaceId }, toPayoutDetails(account));
      unwrap(await createPayouts(runtime, program, {}));
      const order = { channel: `provider:${provider}`, currency: 'USD' } as const;
      const { batch } = unwrap(await createPayoutBatch(runtime, program, order));
      return async () => {
        const transfer = await world.engine.read
          .selectFrom('payout_transfers')
          .innerJoin('payouts', (join) =>
            join
              .onRef('payouts.program_id', '=', 'payout_transfers.program_id')
              .onRef('payouts.id', '=', 'payout_transfers.payout_id'),
          )
          .selectAll('payout_transfers')
          .select('payouts.status')
          .where('payout_transfers.program_id', '=', program.id)
          .where('payout_transfers.batch_id', '=', batch?.id ?? 0)
          .executeTakeFirstOrThrow();
        return transfer;
      };
    };
    const run = async (afterMs = 0) => {
      world.clock.now += afterMs;
      await world.affkit.jobs.runOnce();
    };
    const sendStripe = (object: object, fields: object = {}) => {
      const event = JSON.stringify({ id: 'evt_1', type: 'transfer.updated', data: { object }, ...fields });
      const headers = { 'stripe-signature': sign(event, stripe.settings.webhookSecret, world.clock.now) };
      return world.call('POST', '/api/v1/webhooks/payouts/stripe', event, headers);
    };
    const known = (payouts: number) => ({ status: 200, body: { received: true, payouts } });

    it('an event schedules a check of its own payout only, and no check if another provider sent the event', async () => {
      const [ada, bob, eve] = [
        await queue('ada', 'paypal'),
        await queue('bob', 'paypal'),
        await queue('eve', 'stripe'),
      ];
      stripe.faults = [{ kind: 'reset', moves: false }];
      await run();
      const before = [await ada(), await bob(), await eve()] as const;
      for (const payout of paypal.payouts) payout.status = 'SUCCESS';
      // Send an event of Stripe that contains the id and the key of a PayPal payment.
      const [ofAda] = paypal.payouts.filter(({ key }) => key === before[0].transfer_key);
      if (!ofAda) throw new Error('There is no payout of Ada');
      expect(await sendStripe({ id: ofAda.id, transfer_group: ofAda.key })).toMatchObject(known(0));
      const { transfer_key: keyOfEve } = before[2];
      const foreign = paypal.webhook({ ...ofAda, id: 'tr_1', key: keyOfEve }, 'SUCCEEDED');
      const path = '/api/v1/webhooks/payouts/paypal';
      expect(await world.call('POST', path, foreign.body, foreign.headers)).toMatchObject(known(0));
      expect([await ada(), await bob(), await eve()]).toEqual(before);
      const own = paypal.webhook(ofAda, 'SUCCEEDED');
      expect(await world.call('POST', path, own.body, own.headers)).toMatchObject(known(1));
      await run();
      expect(await ada()).toMatchObject({ state: 'done', status: 'paid' });
      expect([await bob(), await eve()]).toEqual(before.slice(1));
    });

    it('an event cannot replace the payment of a transfer with another payment', async () => {
      const eve = await queue('eve', 'stripe');
      stripe.faults = [{ kind: 'reset', moves: false }];
      await run();
      const { transfer_key } = await eve();
      const own = { currency: 'usd', destination: 'acct_1', transfer_group: transfer_key, reversed: false };
      // Simulate a small transfer with the same key, by somebody who knows the key or by a connected account.
      stripe.transfers.push({ ...own, id: 'tr_small', amount: 1 });
      const connected = { account: 'acct_1' };
      expect(await sendStripe({ id: 'tr_small', transfer_group: transfer_key }, connected)).toMatchObject(
        known(0),
      );
      expect(await sendStripe({ id: 'tr_small', transfer_group: transfer_key })).toMatchObject(known(1));
      await run();
      expect(await eve()).toMatchObject({
        state: 'unclear',
        status: 'pending',
        last_error: expect.stringContaining('its amount is 0.01 USD, not 20.00 USD'),
      });
      // A payment with another key does not belong to this payout. A later event may still name the right
      // payment.
      const other = { ...own, transfer_group: 'f'.repeat(32) };
      Object.assign(stripe.transfers[0] ?? {}, other);
      await sendStripe({ id: 'tr_small', transfer_group: transfer_key });
      await run();
      expect(await eve()).toMatchObject({
        state: 'unclear',
        transfer_id: null,
        last_error: expect.stringContaining('the idempotency key of another payment'),
      });
      stripe.transfers.push({ ...own, id: 'tr_real', amount: 2000 });
      await sendStripe({ id: 'tr_real', transfer_group: transfer_key });
      await run();
      expect(await eve()).toMatchObject({ state: 'done', status: 'paid', transfer_id: 'tr_real' });
      // An event cannot replace the id of a known payment either.
      stripe.transfers.push({ ...own, id: 'tr_late', amount: 2000, reversed: true });
      expect(await sendStripe({ id: 'tr_late', transfer_group: transfer_key })).toMatchObject(known(0));
      await run();
      expect(await eve()).toMatchObject({ transfer_id: 'tr_real', last_error: null });
    });

    it.each<[string, { value: string; currency: string }, string]>([
      ['amount', { value: '2.00', currency: 'USD' }, 'its amount is 2.00 USD, not 20.00 USD'],
      ['currency', { value: '20.00', currency: 'EUR' }, 'it is in EUR, not in USD'],
    ])('do not mark a payout as paid if the payment has another %s', async (_, amount, error) => {
      const ada = await queue('ada', 'paypal');
      await run();
      const [payout] = paypal.payouts;
      Object.assign(payout ?? {}, { status: 'SUCCESS' });
      Object.assign(payout?.item.amount ?? {}, amount);
      await run(HOUR);
      expect(await ada()).toMatchObject({
        state: 'unclear',
        status: 'pending',
        run_at: null,
        last_error: expect.stringContaining(error),
      });
    });
  });
}
