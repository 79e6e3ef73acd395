import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { createPayPalProvider } from '../../src/payout-provider/paypal.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  DAY,
  failedPayoutRecipients,
  openNode,
  openProviderWorld,
  type PayoutWorld,
} from '../support/payout-world.ts';
import { type CreateFault, PayPalStub } from '../support/paypal-stub.ts';
import { createCaller } from '../support/world.ts';

interface Item {
  readonly payout_id: number;
  readonly status: string;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly transfer_state: string;
  readonly transfer_error: string | null;
}

const ORDER = { channel: 'provider:paypal', currency: 'USD' };
const WEBHOOKS = '/api/v1/webhooks/payouts/paypal';
const HOUR = 3_600_000;

export function payoutProviderContract(kind: string, open: OpenEngine): void {
  describe(`payouts by a provider on ${kind}`, () => {
    let stub: PayPalStub;
    let world: PayoutWorld;
    beforeAll(async () => {
      stub = await PayPalStub.start();
    });
    afterAll(() => stub.close());
    beforeEach(async () => {
      stub.reset();
      world = await openProviderWorld(open, createPayPalProvider(stub.settings));
    });
    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
    });

    /** Creates a batch with a payout of 20.00 for Anna, and 40.00 for Ben if he is included. */
    const start = async ({ withBen = false } = {}): Promise<{ batchId: number; anna: number }> => {
      const owner = { workspaceId: world.workspaceId };
      for (const [code, partner] of Object.entries({
        anna: world.anna,
        ...(withBen && { ben: world.ben }),
      })) {
        await world.sell(code, code === 'anna' ? 10_000 : 20_000, { code });
        const details = toPayoutDetails({ method: 'paypal', email: `${code}@paypal.test` });
        await changePayoutDetails(world.affkit.runtime, { id: partner.partnerId, ...owner }, details);
      }
      const [payout] = await world.payOut();
      const { body } = await world.ask('POST', '/payout-batches', ORDER);
      return { batchId: (body['data'] as { id: number }).id, anna: payout?.id ?? 0 };
    };
    const run = async (afterMs = 0) => {
      world.clock.now += afterMs;
      await world.affkit.jobs.runOnce();
    };
    const itemsOf = async (batchId: number) => {
      const { body } = await world.ask('GET', `/payout-batches/${batchId}`);
      return (body['data'] as { items: Item[] }).items;
    };
    const itemOf = async (batchId: number) => (await itemsOf(batchId))[0];
    const deliver = ({ body, headers }: { body: string; headers: Record<string, string> }) =>
      world.call('POST', WEBHOOKS, body, headers);
    const settle = (status: string) => {
      for (const payout of stub.payouts) payout.status = status;
    };

    /** Another process, whose operator no longer pays for the workspace. */
    const withoutWorkspace = () =>
      openNode(world, {
        payoutProviders: [createPayPalProvider(stub.settings)],
        payoutWorkspaces: [world.workspaceId + 1],
      });

    it('sends a payout, and stores its result after a verified webhook', async () => {
      const { batchId, anna } = await start();
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'queued' });
      await run();
      expect(stub.payouts).toMatchObject([
        { item: { receiver: 'anna@paypal.test', amount: { value: '20.00', currency: 'USD' } } },
      ]);
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'accepted' });
      const [payout] = stub.payouts;
      if (!payout) throw new Error('There is no payout');
      settle('SUCCESS');
      const webhook = stub.webhook(payout, 'SUCCEEDED');
      for (const forged of [
        { ...webhook, body: webhook.body.replace('SUCCEEDED', 'FAILED') },
        { ...webhook, headers: { ...webhook.headers, 'paypal-transmission-sig': 'x' } },
        { ...webhook, headers: {} },
      ]) {
        expect(await deliver(forged)).toMatchObject({
          status: 400,
          body: { code: 'webhook_signature_invalid' },
        });
      }
      await run();
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent' });
      expect(await deliver(webhook)).toMatchObject({ status: 200, body: { payouts: 1 } });
      await run();
      const paid = { status: 'paid', reference: `TX${payout.id}`, transfer_state: 'done' };
      expect(await itemOf(batchId)).toMatchObject(paid);
      expect((await world.ask('GET', `/payouts/${anna}`)).body['data']).toMatchObject({ status: 'paid' });
      // Repeated and late webhooks change nothing, because Affkit asks PayPal for the current state of the
      // payout.
      for (const late of [webhook, stub.webhook(payout, 'UNCLAIMED'), stub.webhook(payout, 'PENDING')]) {
        await deliver(late);
        await run();
      }
      expect(await itemOf(batchId)).toMatchObject({ ...paid, transfer_error: null });
      // PayPal takes the money back later. The payout remains paid, and the item reports the contradiction.
      settle('REVERSED');
      await deliver(stub.webhook(payout, 'REVERSED'));
      await run();
      expect(await itemOf(batchId)).toMatchObject({
        ...paid,
        transfer_error: expect.stringContaining('paypal reports PayPal: REVERSED'),
      });
      expect(stub.created).toHaveLength(1);
    });

    it('rejects a cancellation, a manual payment and an imported result while a payout is in flight', async () => {
      const { batchId, anna } = await start();
      const inFlight = { status: 409, body: { code: 'payout_in_flight' } };
      for (const _ of ['queued', 'accepted']) {
        expect(await world.end(anna, 'cancel')).toMatchObject(inFlight);
        expect(await world.end(anna, 'mark-paid', { reference: 'by hand' })).toMatchObject(inFlight);
        const bulk = await world.ask('POST', '/payouts/mark-paid', { items: [{ id: anna }] });
        expect(bulk.body).toMatchObject({ data: [{ ok: false, code: 'payout_in_flight' }] });
        const csv = `payout_id,status,reason\n${anna},failed,by hand\n`;
        const imported = await world.ask('POST', `/payout-batches/${batchId}/import`, csv);
        expect(imported.body).toMatchObject({ data: [{ ok: false, code: 'payout_in_flight' }] });
        const again = await world.ask('POST', '/payout-batches', { ...ORDER, payout_ids: [anna] });
        expect(again.body).toMatchObject({ data: null, left_out: [{ reason: 'in_batch' }] });
        await run();
      }
      expect(await world.ask('GET', `/payout-batches/${batchId}/file`)).toMatchObject({ status: 404 });
      const stripe = await world.ask('POST', '/payout-batches', { ...ORDER, channel: 'provider:stripe' });
      expect(stripe).toMatchObject({ status: 409, body: { code: 'payout_provider_missing' } });
      settle('SUCCESS');
      await run(HOUR);
      expect(await itemOf(batchId)).toMatchObject({ status: 'paid' });
    });

    it.each<{ name: string; faults: CreateFault[]; replays: boolean }>([
      {
        name: 'a 500 before the payment',
        faults: [{ kind: 'status', status: 500, moves: false }],
        replays: true,
      },
      {
        name: 'a 503 after the payment',
        faults: [{ kind: 'status', status: 503, moves: true }],
        replays: true,
      },
      { name: 'a reset before the payment', faults: [{ kind: 'reset', moves: false }], replays: false },
      { name: 'a reset after the payment', faults: [{ kind: 'reset', moves: true }], replays: false },
      {
        name: 'several faults, one after another',
        faults: [
          { kind: 'status', status: 429, moves: false },
          { kind: 'reset', moves: true },
          { kind: 'status', status: 500, moves: false },
          { kind: 'status', status: 401, moves: false },
        ],
        replays: false,
      },
    ])('pays once after $name', async ({ faults, replays }) => {
      Object.assign(stub, { faults: [...faults], replaysRequests: replays });
      const { batchId } = await start({ withBen: true });
      await run();
      for (const _ of faults) await run(HOUR);
      expect(await itemsOf(batchId)).toMatchObject([
        { transfer_state: 'accepted' },
        { transfer_state: 'accepted' },
      ]);
      expect(new Set(stub.created).size).toBe(2);
      expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': 1, 'ben@paypal.test': 1 });
      settle('SUCCESS');
      await run(6 * HOUR);
      expect(await itemsOf(batchId)).toMatchObject([{ status: 'paid' }, { status: 'paid' }]);
    });

    it('releases a payout that PayPal definitely refused, and stores the reason', async () => {
      stub.rejectsClient = true;
      const { batchId, anna } = await start();
      await run();
      // Wrong credentials do not mean that PayPal refused the payout, because nothing was sent.
      expect(await itemOf(batchId)).toMatchObject({
        transfer_state: 'queued',
        transfer_error: expect.stringContaining('Check PAYPAL_CLIENT_ID'),
      });
      Object.assign(stub, { rejectsClient: false, faults: [{ kind: 'refuse' }] });
      await run(HOUR);
      expect(await itemOf(batchId)).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining('Receiver is invalid'),
        transfer_state: 'done',
      });
      expect(await failedPayoutRecipients(world)).toEqual(['anna@partner.example']);
      expect(await world.owed()).toEqual({ USD: [2000, 0] });
      const next = await world.ask('POST', '/payout-batches', { ...ORDER, payout_ids: [anna] });
      expect(next.body['data']).toMatchObject({ payouts: 1 });
      await run();
      settle('RETURNED');
      await run(HOUR);
      expect((await world.ask('GET', `/payouts/${anna}`)).body['data']).toMatchObject({
        status: 'pending',
        batch_id: null,
      });
    });

    it('releases a payout whose reason of failure contains NUL', async () => {
      const { batchId } = await start();
      await run();
      const [payout] = stub.payouts;
      if (!payout) throw new Error('There is no payout');
      Object.assign(payout, { status: 'FAILED', error: { name: 'FAILED', message: 'No \0 account' } });
      await run(HOUR);
      expect(await itemOf(batchId)).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining('No \u{fffd} account'),
        transfer_state: 'done',
      });
    });

    it('postpones a payout while the balance is too low, and then sends it with a new key', async () => {
      stub.faults = [{ kind: 'insufficient' }];
      const { batchId } = await start();
      await run();
      expect(await itemOf(batchId)).toMatchObject({
        status: 'sent',
        reason: null,
        transfer_state: 'queued',
        transfer_error: expect.stringContaining('INSUFFICIENT_FUNDS'),
      });
      await run(HOUR);
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'accepted' });
      expect(new Set(stub.created).size).toBe(2);
      expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': 1 });
      settle('SUCCESS');
      await run(HOUR);
      expect(await itemOf(batchId)).toMatchObject({ status: 'paid' });
      expect(await failedPayoutRecipients(world)).toEqual([]);
    });

    it('keeps the idempotency key if a repeated request fails because the balance is too low', async () => {
      stub.faults = [{ kind: 'reset', moves: true }, { kind: 'insufficient' }];
      const { batchId } = await start();
      await run();
      await run(HOUR);
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'sending' });
      await run(HOUR);
      expect(stub.created).toHaveLength(3);
      expect(new Set(stub.created).size).toBe(1);
      expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': 1 });
    });

    it.each([
      { status: 'FAILED', mails: 0, error: { name: 'INSUFFICIENT_FUNDS', message: 'Add money' } },
      { status: 'FAILED', mails: 1, error: { name: 'RECEIVER_ACCOUNT_LOCKED', message: 'Locked' } },
    ])('emails the partner $mails times after $error.name', async ({ status, error, mails }) => {
      const { batchId, anna } = await start();
      await run();
      for (const payout of stub.payouts) Object.assign(payout, { status, error });
      await run(HOUR);
      const reason = expect.stringContaining(error.message);
      expect(await itemOf(batchId)).toMatchObject({ status: 'failed', reason });
      expect((await world.ask('GET', `/payouts/${anna}`)).body['data']).toMatchObject({ status: 'pending' });
      expect(await failedPayoutRecipients(world)).toHaveLength(mails);
    });

    it('leaves the outcome to a person when a retry could pay twice', async () => {
      stub.faults = [{ kind: 'reset', moves: true }, { kind: 'refuse' }];
      const { batchId, anna } = await start();
      await run();
      await run(HOUR);
      // PayPal refused the repeated request. This does not prove that the first request failed.
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'unclear' });
      await run(HOUR);
      expect(stub.created).toHaveLength(2);
      expect(await world.end(anna, 'cancel')).toMatchObject({ status: 409, body: { code: 'payout_state' } });
      const csv = `payout_id,status,reference\n${anna},paid,TX-1\n`;
      await world.ask('POST', `/payout-batches/${batchId}/import`, csv);
      expect(await itemOf(batchId)).toMatchObject({ status: 'paid', transfer_state: 'done' });
    });

    it('does not repeat a payment after PayPal has forgotten its key, and uses the result of a webhook', async () => {
      stub.faults = [{ kind: 'reset', moves: true }];
      const { batchId } = await start();
      await run();
      await run(26 * DAY);
      expect(await itemOf(batchId)).toMatchObject({
        transfer_state: 'unclear',
        transfer_error: expect.stringContaining('could pay twice'),
      });
      expect(stub.created).toHaveLength(1);
      const [payout] = stub.payouts;
      if (!payout) throw new Error('There is no payout');
      settle('SUCCESS');
      await deliver(stub.webhook(payout, 'SUCCEEDED'));
      await run();
      expect(await itemOf(batchId)).toMatchObject({ status: 'paid', transfer_state: 'done' });
    });

    it('pays only for the workspaces that the operator names', async () => {
      const call = createCaller(withoutWorkspace());
      const reply = await world.ask('POST', '/payout-batches', ORDER, call);
      expect(reply).toMatchObject({ status: 409, body: { code: 'payout_provider_missing' } });
      for (const [method, body] of [['GET'], ['PUT', {}]] as const) {
        const settings = await world.ask(method, '/payout-settings', body, call);
        expect(settings.body['data']).toMatchObject({ providers: [] });
        const own = await world.ask(method, '/payout-settings', body);
        expect(own.body['data']).toMatchObject({ providers: ['paypal'] });
      }
    });

    it('a queued payout is not sent after its workspace was removed, and can be cancelled', async () => {
      const { batchId } = await start();
      const { jobs } = withoutWorkspace();
      await jobs.runOnce();
      world.clock.now += DAY;
      await jobs.runOnce();
      expect(stub.created).toEqual([]);
      expect(await itemOf(batchId)).toMatchObject({ status: 'sent', transfer_state: 'queued' });
      const cancelled = await world.ask('POST', `/payout-batches/${batchId}/cancel`);
      expect(cancelled).toMatchObject({ status: 200, body: { data: { status: 'closed', cancelled: 1 } } });
      await run();
      expect(stub.created).toEqual([]);
    });

    it('a queued payout is sent when its workspace is added again', async () => {
      const { batchId } = await start();
      await withoutWorkspace().jobs.runOnce();
      await run();
      expect(await itemOf(batchId)).toMatchObject({ transfer_state: 'accepted' });
      expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': 1 });
    });

    it('a payout that may have been sent gets its result even after its workspace was removed', async () => {
      const { batchId } = await start({ withBen: true });
      // PayPal accepts one payout, and pays the other without a reply.
      stub.faults = [{ kind: 'reset', moves: true }];
      await run();
      const states = (await itemsOf(batchId)).map(({ transfer_state }) => transfer_state);
      expect(states.sort()).toEqual(['accepted', 'sending']);
      settle('SUCCESS');
      const { jobs } = withoutWorkspace();
      for (let count = 0; count < 2; count++) {
        world.clock.now += HOUR;
        await jobs.runOnce();
        settle('SUCCESS');
      }
      expect(await itemsOf(batchId)).toMatchObject([{ status: 'paid' }, { status: 'paid' }]);
      expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': 1, 'ben@paypal.test': 1 });
    });

    it('sends each payout once when several nodes run the jobs', async () => {
      const nodes = [0, 1, 2].map(() =>
        openNode(world, { payoutProviders: [createPayPalProvider(stub.settings)], payoutWorkspaces: 'all' }),
      );
      await start({ withBen: true });
      await Promise.all([world.affkit, ...nodes].map(({ jobs }) => jobs.runOnce()));
      expect(stub.created).toHaveLength(2);
      expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': 1, 'ben@paypal.test': 1 });
      settle('SUCCESS');
      world.clock.now += HOUR;
      await Promise.all([world.affkit, ...nodes].map(({ jobs }) => jobs.runOnce()));
      expect(await world.owed()).toEqual({ USD: [0, 0] });
    });
  });
}
