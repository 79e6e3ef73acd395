import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Affkit } from '../../src/create-affkit.ts';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import type { AffkitOptions } from '../../src/options.ts';
import { createPayPalProvider } from '../../src/payout-provider/paypal.ts';
import { createStripeProvider } from '../../src/payout-provider/stripe.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, openNode, type PayoutWorld, payoutWorldOn } from '../support/payout-world.ts';
import { PayPalStub } from '../support/paypal-stub.ts';
import { StripeTransfersStub } from '../support/stripe-transfers-stub.ts';
import { makeWorld } from '../support/world.ts';

interface Item {
  readonly status: string;
  readonly transfer_state: string;
  readonly transfer_error: string | null;
}

const MINUTE = 60_000;
const HOUR = 3_600_000;
const IN_FLIGHT = { status: 409, body: { code: 'payout_in_flight' } };
const UNCLEAR = {
  status: 'sent',
  transfer_state: 'unclear',
  transfer_error: expect.stringContaining('import the result'),
};
const PAID = { status: 'paid', transfer_state: 'done', transfer_error: null };

/** Tests on every engine that a user can enter the result of a payout that its provider never reports. */
export function payoutOverdueContract(kind: string, open: OpenEngine): void {
  describe(`payouts whose result does not arrive, on ${kind}`, () => {
    let paypal: PayPalStub;
    let stripe: StripeTransfersStub;
    let world: PayoutWorld;
    beforeAll(async () => {
      [paypal, stripe] = await Promise.all([PayPalStub.start(), StripeTransfersStub.start()]);
    });
    afterAll(() => Promise.all([paypal.close(), stripe.close()]));
    beforeEach(async () => {
      paypal.reset();
      stripe.faults = [];
      stripe.transfers.length = 0;
      stripe.created.length = 0;
      stripe.replies.clear();
      world = await payoutWorldOn(await makeWorld(await open(), {}, providers()));
    });
    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
    });

    const providers = () => ({
      payoutProviders: [createPayPalProvider(paypal.settings), createStripeProvider(stripe.settings)],
      payoutWorkspaces: 'all' as const,
    });
    /** Starts another process of the service, with different settings. */
    const startNode = (options: Partial<AffkitOptions>): Affkit => openNode(world, options);
    const run = async (afterMs = 0, affkit = world.affkit) => {
      world.clock.now += afterMs;
      await affkit.jobs.runOnce();
    };
    /** Creates a batch with a payout of 20.00 for Anna. */
    const start = async (provider: 'paypal' | 'stripe') => {
      await world.sell('anna', 10_000);
      const details = toPayoutDetails(
        provider === 'paypal'
          ? { method: 'paypal', email: 'anna@paypal.test' }
          : { method: 'stripe', stripe_account_id: 'acct_1032D82eZvKYlo2C' },
      );
      const anna = { id: world.anna.partnerId, workspaceId: world.workspaceId };
      await changePayoutDetails(world.affkit.runtime, anna, details);
      const [payout] = await world.payOut();
      return { payoutId: payout?.id ?? 0, batchId: await createBatch(provider) };
    };
    const createBatch = async (provider: 'paypal' | 'stripe') => {
      const order = { channel: `provider:${provider}`, currency: 'USD' };
      const { body } = await world.ask('POST', '/payout-batches', order);
      return (body['data'] as { id: number }).id;
    };
    const itemOf = async (batchId: number) => {
      const { body } = await world.ask('GET', `/payout-batches/${batchId}`);
      return (body['data'] as { items: Item[] }).items[0];
    };
    const enter = (batchId: number, payoutId: number, status: 'paid' | 'failed') =>
      world.ask('POST', `/payout-batches/${batchId}/import`, `payout_id,status\n${payoutId},${status}\n`);
    const deliver = (payout: PayPalStub['payouts'][number]) => {
      const { body, headers } = paypal.webhook(payout, 'SUCCEEDED');
      return world.call('POST', '/api/v1/webhooks/payouts/paypal', body, headers);
    };
    const countNotices = async (name: 'payouts_unclear' | 'payouts_delayed' | 'payouts_contradicted') => {
      const rows = await world.engine.read
        .selectFrom('notifications')
        .select('id')
        .where('kind', '=', name)
        .execute();
      return rows.length;
    };
    it('an accepted payout becomes unclear when lookups at PayPal have not found it for 60 days', async () => {
      const { payoutId, batchId } = await start('paypal');
      await run();
      // The operator switches to another PayPal account, which does not know the payment.
      paypal.payouts.length = 0;
      await run(59 * DAY);
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'accepted' });
      expect(await world.end(payoutId, 'mark-paid')).toMatchObject(IN_FLIGHT);
      await run(2 * DAY);
      expect(await itemOf(batchId)).toMatchObject({
        ...UNCLEAR,
        transfer_error: expect.stringContaining('RESOURCE_NOT_FOUND'),
      });
      for (let day = 0; day < 3; day++) await run(DAY);
      expect(await countNotices('payouts_unclear')).toBe(1);
      expect(paypal.created).toHaveLength(1);
      expect(await world.end(payoutId, 'mark-paid', { reference: 'TX1' })).toMatchObject({ status: 200 });
      expect(await itemOf(batchId)).toMatchObject({ ...PAID, reference: 'TX1' });
      expect(await world.owed()).toEqual({ USD: [0, 0] });
    });

    /** Starts a payout that PayPal accepts, but whose reply does not arrive before another process is refused. */
    const startLateReply = async () => {
      const { payoutId, batchId } = await start('paypal');
      const moved = Promise.withResolvers<void>();
      const late = Promise.withResolvers<void>();
      paypal.onStep = async (step) => {
        if (step !== 'moved') return;
        moved.resolve();
        await late.promise;
      };
      const sending = run();
      await moved.promise;
      paypal.faults = [{ kind: 'refuse' }];
      await run(6 * MINUTE, startNode(providers()));
      expect(await itemOf(batchId)).toMatchObject({ transfer_state: 'unclear' });
      const receiveReply = async () => {
        late.resolve();
        await sending;
        for (const payout of paypal.payouts) payout.status = 'SUCCESS';
        await run(HOUR);
      };
      return { payoutId, batchId, receiveReply };
    };

    it('reads the result of an unclear payout when a late reply contains its id', async () => {
      const { batchId, receiveReply } = await startLateReply();
      await receiveReply();
      expect(await itemOf(batchId)).toMatchObject(PAID);
    });

    it('reports a late reply that contradicts the result that a user has entered', async () => {
      const { payoutId, batchId, receiveReply } = await startLateReply();
      expect(await enter(batchId, payoutId, 'failed')).toMatchObject({ status: 200 });
      await receiveReply();
      expect(await itemOf(batchId)).toMatchObject({
        status: 'failed',
        transfer_state: 'done',
        transfer_error: expect.stringContaining('reports paid'),
      });
      expect(await countNotices('payouts_contradicted')).toBe(1);
    });

    it('a late reply with a known id does not interrupt a process that reads the payout', async () => {
      const { batchId } = await start('paypal');
      const [moved, late, reading, answer] = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
      let reads = 0;
      paypal.onStep = async (step) => {
        if (step === 'moved') {
          moved?.resolve();
          await late?.promise;
        }
        if (step !== 'read' || ++reads > 1) return;
        reading?.resolve();
        await answer?.promise;
      };
      const sending = run();
      await moved?.promise;
      const [payout] = paypal.payouts;
      if (!payout) throw new Error('There is no payout');
      payout.status = 'SUCCESS';
      expect(await deliver(payout)).toMatchObject({ status: 200, body: { payouts: 1 } });
      const other = run(0, startNode(providers()));
      await reading?.promise;
      late?.resolve();
      await sending;
      answer?.resolve();
      await other;
      expect(await itemOf(batchId)).toMatchObject(PAID);
      expect(reads).toBe(1);
    });

    it('a payout that PayPal reports as pending becomes unclear after 60 days, and a webhook can still close it', async () => {
      const { batchId } = await start('paypal');
      await run();
      const [payout] = paypal.payouts;
      if (!payout) throw new Error('There is no payout');
      payout.status = 'UNCLAIMED';
      await run(59 * DAY);
      expect(await itemOf(batchId)).toMatchObject({ transfer_state: 'accepted' });
      await run(2 * DAY);
      expect(await itemOf(batchId)).toMatchObject({
        ...UNCLEAR,
        transfer_error: expect.stringContaining('UNCLAIMED'),
      });
      payout.status = 'SUCCESS';
      expect(await deliver(payout)).toMatchObject({ status: 200, body: { payouts: 1 } });
      // The webhook starts the waiting time again. If reading the result fails now, it is therefore read again later.
      paypal.onStep = () => {
        throw new Error('reset');
      };
      await run();
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'accepted' });
      paypal.onStep = () => {};
      await run(HOUR);
      expect(await itemOf(batchId)).toMatchObject(PAID);
      expect(await countNotices('payouts_unclear')).toBe(1);
    });

    it('if PayPal pays a payout that was entered as failed, the item reports the payment, and the next transfer stays open', async () => {
      const { payoutId, batchId } = await start('paypal');
      await run();
      const [payout] = paypal.payouts;
      if (!payout) throw new Error('There is no payout');
      await run(61 * DAY);
      expect((await enter(batchId, payoutId, 'failed')).body).toMatchObject({ data: [{ ok: true }] });
      await run(DAY);
      expect(paypal.created).toHaveLength(1);
      const again = await createBatch('paypal');
      await run();
      expect(paypal.created).toHaveLength(2);
      payout.status = 'SUCCESS';
      expect(await deliver(payout)).toMatchObject({ status: 200, body: { payouts: 1 } });
      await run();
      expect(await itemOf(batchId)).toMatchObject({
        status: 'failed',
        transfer_state: 'done',
        transfer_error: expect.stringContaining('Check whether the payout has been sent again'),
      });
      expect(await countNotices('payouts_contradicted')).toBe(1);
      expect(await itemOf(again)).toMatchObject({ status: 'sent', transfer_state: 'accepted' });
      expect((await world.ask('GET', `/payouts/${payoutId}`)).body['data']).toMatchObject({
        status: 'pending',
        batch_id: again,
      });
    });

    it('a payout becomes unclear if Stripe still rejects each lookup a week after the idempotency key expired', async () => {
      const { payoutId, batchId } = await start('stripe');
      stripe.faults = [{ kind: 'reset', moves: true }];
      await run();
      const revoked = startNode({
        payoutProviders: [createStripeProvider({ ...stripe.settings, secretKey: 'sk_test_revoked' })],
        payoutWorkspaces: 'all',
      });
      for (let day = 1; day <= 7; day++) await run(DAY, revoked);
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'sending' });
      for (let day = 8; day <= 20; day++) await run(DAY, revoked);
      expect(await itemOf(batchId)).toMatchObject({
        ...UNCLEAR,
        transfer_error: expect.stringContaining('Stripe did not return a transfer'),
      });
      expect(await countNotices('payouts_unclear')).toBe(1);
      expect(await countNotices('payouts_delayed')).toBeLessThanOrEqual(8);
      expect(stripe.created).toHaveLength(1);
      expect((await enter(batchId, payoutId, 'paid')).body).toMatchObject({ data: [{ ok: true }] });
      expect(await itemOf(batchId)).toMatchObject(PAID);
    });

    it('a payout is marked as paid when a lookup at Stripe works again within a week after the key expired', async () => {
      const { batchId } = await start('stripe');
      stripe.faults = [{ kind: 'reset', moves: true }];
      await run();
      await run(7 * DAY);
      expect(await itemOf(batchId)).toMatchObject({ ...PAID, reference: 'tr_1' });
      expect(stripe.created).toHaveLength(1);
    });

    it('a payout becomes unclear when the connection to Stripe was reset in each attempt for 60 days', async () => {
      const { payoutId, batchId } = await start('stripe');
      stripe.faults = Array.from({ length: 99 }, () => ({ kind: 'reset', moves: false }) as const);
      await run();
      for (let day = 0; day < 59; day += 2) await run(2 * DAY);
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'sending' });
      const attempts = stripe.created.length;
      await run(2 * DAY);
      stripe.faults = [];
      await run(2 * DAY);
      expect(await itemOf(batchId)).toMatchObject(UNCLEAR);
      expect(stripe.created).toHaveLength(attempts);
      expect((await enter(batchId, payoutId, 'failed')).body).toMatchObject({ data: [{ ok: true }] });
      await createBatch('stripe');
      await run();
      expect(stripe.paidTimes()).toEqual({ acct_1032D82eZvKYlo2C: 1 });
    });

    it('a payout without readable details becomes unclear when PayPal may have forgotten its key', async () => {
      const { payoutId, batchId } = await start('paypal');
      paypal.faults = [{ kind: 'reset', moves: true }];
      await run();
      const node = startNode({ ...providers(), secret: 'another secret of at least 32 characters' });
      await run(24 * DAY, node);
      expect(await itemOf(batchId)).toMatchObject({
        transfer_state: 'sending',
        transfer_error: expect.stringContaining('Restore the secret'),
      });
      await run(2 * DAY, node);
      expect(await itemOf(batchId)).toMatchObject({
        ...UNCLEAR,
        transfer_error: expect.stringContaining('could pay twice'),
      });
      expect(await countNotices('payouts_unclear')).toBe(1);
      expect(paypal.created).toHaveLength(1);
      expect((await enter(batchId, payoutId, 'failed')).body).toMatchObject({ data: [{ ok: true }] });
      expect(await world.owed()).toEqual({ USD: [2000, 0] });
    });

    it.each([
      { moves: true, name: 'is marked as paid if Stripe has the transfer', end: PAID },
      { moves: false, name: 'becomes unclear if Stripe has no transfer', end: UNCLEAR },
    ])('a payout without readable details $name', async ({ moves, end }) => {
      const { batchId } = await start('stripe');
      stripe.faults = [{ kind: 'reset', moves }];
      await run();
      const node = startNode({ ...providers(), secret: 'another secret of at least 32 characters' });
      await run(8 * DAY, node);
      expect(await itemOf(batchId)).toMatchObject(end);
      expect(stripe.created).toHaveLength(1);
    });

    it.each(['accepted', 'sending'])(
      'a payout in the state %s becomes unclear if its provider has been missing for 60 days',
      async (state) => {
        const { payoutId, batchId } = await start('paypal');
        if (state === 'sending') paypal.faults = [{ kind: 'reset', moves: true }];
        await run();
        const nodes = [startNode({}), startNode({}), startNode({})];
        await run(59 * DAY, nodes[0]);
        expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: state });
        world.clock.now += 2 * DAY;
        await Promise.all(nodes.map((node) => run(0, node)));
        await run(DAY, nodes[0]);
        expect(await itemOf(batchId)).toMatchObject({
          ...UNCLEAR,
          transfer_error: expect.stringContaining('paypal is no longer configured'),
        });
        expect(await countNotices('payouts_unclear')).toBe(1);
        expect((await enter(batchId, payoutId, 'paid')).body).toMatchObject({ data: [{ ok: true }] });
        expect(await itemOf(batchId)).toMatchObject(PAID);
      },
    );

    it('an unclear payout is not sent again when its provider returns, and a webhook can still close it', async () => {
      const { batchId } = await start('paypal');
      paypal.faults = [{ kind: 'reset', moves: true }];
      await run();
      await run(61 * DAY, startNode({}));
      await run(DAY);
      expect(await itemOf(batchId)).toMatchObject(UNCLEAR);
      expect(paypal.created).toHaveLength(1);
      const [payout] = paypal.payouts;
      if (!payout) throw new Error('There is no payout');
      payout.status = 'SUCCESS';
      await deliver(payout);
      await run();
      expect(await itemOf(batchId)).toMatchObject(PAID);
    });

    it('a payout that was not sent before its provider was removed stays queued, and can be cancelled', async () => {
      const { batchId } = await start('paypal');
      await run(90 * DAY, startNode({}));
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'queued' });
      expect(await countNotices('payouts_unclear')).toBe(0);
      expect(await world.ask('POST', `/payout-batches/${batchId}/cancel`)).toMatchObject({ status: 200 });
      expect(await world.owed()).toEqual({ USD: [2000, 0] });
    });
  });
}
