import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { createStripeProvider } from '../../src/payout-provider/stripe.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, failedPayoutRecipients, openProviderWorld, type PayoutWorld } from '../support/payout-world.ts';
import { StripeTransfersStub, type TransferFault } from '../support/stripe-transfers-stub.ts';
import { createTestMailer, type TestMailer } from '../support/test-mailer.ts';
import { sign } from '../support/webhook-world.ts';

const HOUR = 3_600_000;

export function stripePayoutContract(kind: string, open: OpenEngine): void {
  describe(`payouts by Stripe on ${kind}`, () => {
    let stub: StripeTransfersStub;
    let world: PayoutWorld;
    let mailer: TestMailer;
    let batchId: number;
    beforeAll(async () => {
      stub = await StripeTransfersStub.start();
    });
    afterAll(() => stub.close());
    beforeEach(async () => {
      stub.transfers.length = 0;
      stub.created.length = 0;
      stub.replies.clear();
      mailer = createTestMailer();
      world = await openProviderWorld(open, createStripeProvider(stub.settings), mailer);
      await world.sell('a', 10_000);
      await changePayoutDetails(
        world.affkit.runtime,
        { id: world.anna.partnerId, workspaceId: world.workspaceId },
        toPayoutDetails({ method: 'stripe', stripe_account_id: 'acct_1032D82eZvKYlo2C' }),
      );
      await world.payOut();
      const order = { channel: 'provider:stripe', currency: 'USD' };
      const { body } = await world.ask('POST', '/payout-batches', order);
      batchId = (body['data'] as { id: number }).id;
    });
    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
    });

    const run = async (afterMs = 0) => {
      world.clock.now += afterMs;
      await world.affkit.jobs.runOnce();
    };
    const item = async () => {
      const { body } = await world.ask('GET', `/payout-batches/${batchId}`);
      return (body['data'] as { items: object[] }).items[0];
    };

    it('marks a payout as paid as soon as Stripe has created the transfer, and stores a reversal from a verified webhook', async () => {
      stub.faults = [];
      await run();
      expect(stub.transfers).toMatchObject([
        { amount: 2000, currency: 'usd', destination: 'acct_1032D82eZvKYlo2C' },
      ]);
      const paid = { status: 'paid', reference: 'tr_1', transfer_state: 'done' };
      expect(await item()).toMatchObject({ ...paid, transfer_error: null });
      const [transfer] = stub.transfers;
      if (!transfer) throw new Error('There is no transfer');
      transfer.reversed = true;
      const event = JSON.stringify({ id: 'evt_1', type: 'transfer.reversed', data: { object: transfer } });
      const post = (secret: string) => {
        const headers = { 'stripe-signature': sign(event, secret, world.clock.now) };
        return world.call('POST', '/api/v1/webhooks/payouts/stripe', event, headers);
      };
      expect(await post('whsec_forged')).toMatchObject({ status: 400 });
      expect(await post(stub.settings.webhookSecret)).toMatchObject({ status: 200, body: { payouts: 1 } });
      await run();
      expect(await item()).toMatchObject({ ...paid, transfer_error: expect.stringContaining('reversed') });
    });

    it('reports a reversal of a transfer after its program was deleted', async () => {
      stub.faults = [];
      await run();
      expect(await world.ask('DELETE', '')).toMatchObject({ status: 200 });
      const [transfer] = stub.transfers;
      if (!transfer) throw new Error('There is no transfer');
      transfer.reversed = true;
      const event = JSON.stringify({ id: 'evt_1', type: 'transfer.reversed', data: { object: transfer } });
      const headers = { 'stripe-signature': sign(event, stub.settings.webhookSecret, world.clock.now) };
      const reply = await world.call('POST', '/api/v1/webhooks/payouts/stripe', event, headers);
      expect(reply).toMatchObject({ status: 200, body: { payouts: 1 } });
      await run();
      const notices = await world.engine.read
        .selectFrom('notifications')
        .select('payload')
        .where('kind', '=', 'payouts_contradicted')
        .execute();
      expect(notices).toEqual([{ payload: expect.stringContaining('reversed') }]);
      await run(HOUR);
      const subject = `A payout has contradictory results: ${world.program.name}`;
      const message = mailer.accepted.find((one) => one.subject === subject);
      expect(message?.text).toContain('Check the payments at Stripe');
      // The dashboard has no pages for a deleted program.
      expect(message?.text).not.toContain('/payouts/files');
    });

    it.each<{ name: string; fault: TransferFault }>([
      { name: 'a reset before the transfer', fault: { kind: 'reset', moves: false } },
      { name: 'a reset after the transfer', fault: { kind: 'reset', moves: true } },
      {
        name: 'a transfer whose reply is a 500 that Stripe repeats',
        fault: { kind: 'status', status: 500, moves: true },
      },
      { name: 'a 429', fault: { kind: 'status', status: 429, moves: false } },
    ])('transfers once after $name', async ({ fault }) => {
      stub.faults = [fault];
      await run();
      if (fault.kind === 'status' && fault.status === 429) stub.replies.clear();
      await run(HOUR);
      expect(await item()).toMatchObject({ status: 'paid', reference: 'tr_1' });
      expect(stub.transfers).toHaveLength(1);
      expect(new Set(stub.created).size).toBe(1);
    });

    it('sends a transfer again if Stripe has deleted the idempotency key and no transfer exists', async () => {
      stub.faults = [{ kind: 'status', status: 500, moves: false }];
      await run();
      await run(HOUR);
      expect(await item()).toMatchObject({ status: 'sent', transfer_state: 'sending' });
      stub.replies.clear();
      await run(2 * DAY);
      expect(await item()).toMatchObject({ status: 'paid', reference: 'tr_1' });
      expect(stub.transfers).toHaveLength(1);
    });

    it('postpones a payout while the balance is too low, and then sends it with a new key', async () => {
      stub.faults = [{ kind: 'insufficient' }, { kind: 'insufficient' }];
      for (const afterMs of [0, HOUR]) {
        await run(afterMs);
        expect(await item()).toMatchObject({
          status: 'sent',
          reason: null,
          transfer_state: 'queued',
          transfer_error: 'Stripe did not send the payout: balance_insufficient: Insufficient funds',
        });
      }
      await run(HOUR);
      expect(await item()).toMatchObject({ status: 'paid', reference: 'tr_1', transfer_error: null });
      // Each attempt needs a new key, because Stripe would repeat the error for the same key.
      expect(new Set(stub.created).size).toBe(3);
      expect(stub.transfers).toHaveLength(1);
      expect(await failedPayoutRecipients(world)).toEqual([]);
    });

    it('keeps the idempotency key if a repeated request fails because the balance is too low', async () => {
      stub.faults = [{ kind: 'reset', moves: false }, { kind: 'insufficient' }];
      await run();
      await run(HOUR);
      expect(await item()).toMatchObject({
        status: 'sent',
        transfer_state: 'sending',
        transfer_error: expect.stringContaining('balance_insufficient'),
      });
      await run(HOUR);
      expect(stub.transfers).toEqual([]);
      // Stripe deletes the key after 24 hours.
      stub.replies.clear();
      await run(2 * DAY);
      expect(await item()).toMatchObject({ status: 'paid', reference: 'tr_1' });
      expect(new Set(stub.created).size).toBe(1);
      expect(await failedPayoutRecipients(world)).toEqual([]);
    });

    it('releases a payout whose destination Stripe refuses, and emails the partner', async () => {
      stub.faults = [{ kind: 'refuse' }];
      await run();
      const reason = 'Stripe refused the payout: account_invalid: No such destination';
      expect(await item()).toMatchObject({ status: 'failed', reason });
      expect(await failedPayoutRecipients(world)).toEqual(['anna@partner.example']);
    });
  });
}
