import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { createPayPalProvider } from '../../src/payout-provider/paypal.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, openProviderWorld, type PayoutWorld } from '../support/payout-world.ts';
import { PayPalStub } from '../support/paypal-stub.ts';
import { createTestMailer, type TestMailer } from '../support/test-mailer.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export function payoutProblemContract(kind: string, open: OpenEngine): void {
  describe(`notices about payouts that a provider could not pay, on ${kind}`, () => {
    let stub: PayPalStub;
    let world: PayoutWorld;
    let mailer: TestMailer;
    beforeAll(async () => {
      stub = await PayPalStub.start();
    });
    afterAll(() => stub.close());
    beforeEach(async () => {
      stub.reset();
      mailer = createTestMailer();
      world = await openProviderWorld(open, createPayPalProvider(stub.settings), mailer);
    });
    afterEach(() => world.affkit.close());

    /** Creates a batch with a payout for Anna, and another for Ben. */
    const start = async (): Promise<number> => {
      for (const [code, { partnerId }] of Object.entries({ anna: world.anna, ben: world.ben })) {
        await world.sell(code, 10_000, { code });
        const details = toPayoutDetails({ method: 'paypal', email: `${code}@paypal.test` });
        const partner = { id: partnerId, workspaceId: world.workspaceId };
        await changePayoutDetails(world.affkit.runtime, partner, details);
      }
      await world.payOut();
      const order = { channel: 'provider:paypal', currency: 'USD' };
      const { body } = await world.ask('POST', '/payout-batches', order);
      return (body['data'] as { id: number }).id;
    };
    const run = async (afterMs = 0) => {
      world.clock.now += afterMs;
      await world.affkit.jobs.runOnce();
    };
    const notices = async () => {
      const rows = await world.engine.read
        .selectFrom('notifications')
        .select(['kind', 'payload'])
        .where('kind', 'in', ['payouts_failed', 'payouts_unclear', 'payouts_contradicted', 'payouts_delayed'])
        .orderBy('id')
        .execute();
      return rows.map((row) => ({ kind: row.kind, ...(JSON.parse(row.payload) as object) }));
    };
    const emails = () =>
      mailer.accepted
        .filter(({ text }) => text.includes('/payouts/files'))
        .map(({ subject, text }) => subject + text);

    it('sends the advertiser one email about all payouts that have failed, with their number', async () => {
      const batchId = await start();
      await run();
      const error = { name: 'INSUFFICIENT_FUNDS', message: 'Add money' };
      for (const payout of stub.payouts) Object.assign(payout, { status: 'FAILED', error });
      await run(HOUR);
      expect(await notices()).toEqual([
        { kind: 'payouts_failed', batchId, provider: 'paypal', reason: expect.stringContaining('Add money') },
      ]);
      expect(emails()).toEqual([]);
      await run(HOUR);
      expect(emails()).toEqual([
        expect.stringContaining(`PayPal has not paid 2 payouts of batch ${batchId}.`),
      ]);
      expect(emails()[0]).toContain('Add money');
    });

    it('counts only payouts that are unpaid when the email is sent', async () => {
      const batchId = await start();
      await run();
      for (const payout of stub.payouts) payout.status = 'FAILED';
      await run(HOUR);
      const { body } = await world.ask('GET', `/payout-batches/${batchId}`);
      const { items } = body['data'] as { items: { payout_id: number }[] };
      await world.end(items[0]?.payout_id ?? 0, 'mark-paid');
      await run(HOUR);
      expect(emails()).toEqual([
        expect.stringContaining(`PayPal has not paid 1 payout of batch ${batchId}.`),
      ]);
    });

    it('sends another email about failures in a later hour', async () => {
      await start();
      await run();
      const [first, second] = stub.payouts;
      if (first) first.status = 'FAILED';
      await run(HOUR);
      await run(HOUR);
      expect(emails()).toHaveLength(1);
      if (second) second.status = 'FAILED';
      await run(6 * HOUR);
      await run(HOUR);
      expect(await notices()).toHaveLength(2);
      expect(emails()).toEqual([expect.stringContaining('1 payout '), expect.stringContaining('2 payouts ')]);
    });

    it('emails the advertiser that a result is unknown', async () => {
      stub.faults = [
        { kind: 'reset', moves: true },
        { kind: 'reset', moves: true },
      ];
      await start();
      await run();
      await run(26 * DAY);
      await run(HOUR);
      expect(emails()).toEqual([expect.stringContaining('It is unknown whether PayPal has paid 2 payouts')]);
    });

    it('sends no email about an unknown result that was imported before the email was sent', async () => {
      stub.faults = [
        { kind: 'reset', moves: true },
        { kind: 'reset', moves: true },
      ];
      const batchId = await start();
      await run();
      await run(26 * DAY);
      const notice = { kind: 'payouts_unclear', batchId, provider: 'paypal' };
      expect(await notices()).toMatchObject([notice]);
      const { body } = await world.ask('GET', `/payout-batches/${batchId}`);
      const { items } = body['data'] as { items: { payout_id: number }[] };
      const csv = ['payout_id,status', ...items.map(({ payout_id }) => `${payout_id},paid`), ''].join('\n');
      await world.ask('POST', `/payout-batches/${batchId}/import`, csv);
      await run(HOUR);
      expect(emails()).toEqual([]);
    });

    it('emails the advertiser that PayPal has reversed a payment, although the payout stays paid', async () => {
      const batchId = await start();
      await run();
      for (const status of ['SUCCESS', 'REVERSED']) {
        for (const payout of stub.payouts) {
          payout.status = status;
          const { body, headers } = stub.webhook(payout, status === 'SUCCESS' ? 'SUCCEEDED' : status);
          await world.call('POST', '/api/v1/webhooks/payouts/paypal', body, headers);
        }
        await run();
      }
      expect(await notices()).toMatchObject([
        { kind: 'payouts_contradicted', batchId, reason: expect.stringContaining('REVERSED') },
      ]);
      await run(HOUR);
      expect(emails()).toEqual([expect.stringContaining('PayPal has reported a result for 2 payouts')]);
    });

    it('after several attempts, emails the advertiser that payouts could not be sent', async () => {
      stub.rejectsClient = true;
      const batchId = await start();
      for (let attempt = 1; attempt < 6; attempt++) {
        await run(HOUR);
        expect(await notices()).toEqual([]);
      }
      await run(HOUR);
      expect(await notices()).toMatchObject([{ kind: 'payouts_delayed', batchId }]);
      await run(MINUTE);
      expect(emails()).toEqual([expect.stringContaining('PayPal has not confirmed 2 payouts')]);
    });
  });
}
