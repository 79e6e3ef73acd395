import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPayPalProvider } from '../../src/payout-provider/paypal.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  DAY,
  enterPayPalDetails,
  openNode,
  type PayoutWorld,
  payoutWorldOn,
} from '../support/payout-world.ts';
import { PayPalStub } from '../support/paypal-stub.ts';
import { createTestMailer } from '../support/test-mailer.ts';
import { makeWorld, type Reply } from '../support/world.ts';

interface Batch {
  readonly id: number;
  readonly status: string;
  readonly cancelled: number;
  readonly unsent: number;
}

const FILE = { channel: 'file:paypal', currency: 'USD' };
const PROVIDER = { channel: 'provider:paypal', currency: 'USD' };
const REFUSED = { status: 409, body: { code: 'payout_batch_state' } };

/** Tests on every engine that a cancelled batch releases its payouts, and that no payout is paid twice. */
export function payoutCancelContract(kind: string, open: OpenEngine): void {
  describe(`cancelled payout batches on ${kind}`, () => {
    let stub: PayPalStub;
    let world: PayoutWorld;
    const mailer = createTestMailer();
    beforeAll(async () => {
      stub = await PayPalStub.start();
    });
    afterAll(() => stub.close());
    beforeEach(async () => {
      Object.assign(stub, { faults: [], rejectsClient: false });
      stub.payouts.length = 0;
      stub.created.length = 0;
      const options = { mailer, publicUrl: 'https://affkit.test', ...providers() };
      world = await payoutWorldOn(await makeWorld(await open(), {}, options));
      await enterPayPalDetails(world);
    });
    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
    });

    const providers = () => ({
      payoutProviders: [createPayPalProvider(stub.settings)],
      payoutWorkspaces: 'all' as const,
    });
    let sales = 0;
    /** Creates payouts of 20.00 for Anna and 40.00 for Ben. */
    const earn = async (): Promise<number[]> => {
      sales += 1;
      await world.sell(`a${sales}`, 10_000);
      await world.sell(`b${sales}`, 20_000, { code: 'ben' });
      return (await world.payOut()).map(({ id }) => id);
    };
    const create = async (order: object): Promise<Batch> => {
      const { body } = await world.ask('POST', '/payout-batches', order);
      if (!body['data']) throw new Error(JSON.stringify(body));
      return body['data'] as Batch;
    };
    const cancel = (id: number) => world.ask('POST', `/payout-batches/${id}/cancel`);
    const download = (id: number) => world.ask('GET', `/payout-batches/${id}/file`);
    const readBatch = async (id: number) => (await world.ask('GET', `/payout-batches/${id}`)).body['data'];
    const importCsv = async (id: number, csv: string) =>
      (await world.ask('POST', `/payout-batches/${id}/import`, csv)).body['data'];

    it('releases the payouts of a file that nobody has downloaded', async () => {
      const [anna, ben] = await earn();
      const batch = await create(FILE);
      expect(batch).toMatchObject({ unsent: 2 });
      await world.refund(`a${sales}`, 5_000);
      expect(await cancel(batch.id)).toMatchObject({
        status: 200,
        body: { data: { status: 'closed', payouts: 2, sent: 0, cancelled: 2, unsent: 0 } },
      });
      expect(await cancel(batch.id)).toMatchObject({ status: 200, body: { data: { cancelled: 2 } } });
      // The refund did not change the payout before the batch was cancelled.
      for (const [id, amount_cents] of [
        [anna, 1000],
        [ben, 4000],
      ]) {
        const { body } = await world.ask('GET', `/payouts/${id}`);
        expect(body['data']).toMatchObject({ status: 'pending', batch_id: null, amount_cents });
      }
      expect(await download(batch.id)).toMatchObject(REFUSED);
      const next = await create(FILE);
      expect((await download(next.id)).body).toContain(`P${next.id}-${anna}`);
      const report = `payout_id,status\n${anna},paid\n${ben},failed\n`;
      expect(await importCsv(batch.id, report)).toMatchObject([
        { ok: false, error: expect.stringContaining('already has the status "cancelled" in this batch') },
        { ok: true, is_changed: false },
      ]);
      expect(await importCsv(next.id, `payout_id,status\n${anna},paid\n${ben},paid\n`)).toMatchObject([
        { is_changed: true },
        { is_changed: true },
      ]);
      expect(await cancel(next.id)).toMatchObject(REFUSED);
      await world.affkit.jobs.runOnce();
      expect(mailer.accepted.filter(({ subject }) => /failed/i.test(subject))).toEqual([]);
    });

    it('does not count a HEAD request as a download', async () => {
      await earn();
      const batch = await create(FILE);
      const head = await world.ask('HEAD', `/payout-batches/${batch.id}/file`);
      expect(head).toMatchObject({ status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' } });
      expect(await readBatch(batch.id)).toMatchObject({ downloaded_at: null, unsent: 2 });
      expect(await cancel(batch.id)).toMatchObject({ status: 200, body: { data: { cancelled: 2 } } });
      expect(await world.ask('HEAD', `/payout-batches/${batch.id}/file`)).toMatchObject({ status: 409 });
    });

    it('does not release the payouts of a downloaded file, because they may have been paid', async () => {
      const [anna, ben] = await earn();
      const batch = await create(FILE);
      await download(batch.id);
      expect(await cancel(batch.id)).toMatchObject({
        status: 409,
        body: { code: 'payout_batch_state', error: expect.stringContaining('import the payouts') },
      });
      expect(await readBatch(batch.id)).toMatchObject({
        unsent: 0,
        downloaded_at: '2026-06-15T12:00:00.000Z',
        items: [{ status: 'sent' }, { status: 'sent' }],
      });
      await importCsv(batch.id, `payout_id,status\n${anna},failed\n${ben},failed\n`);
      expect(await create(FILE)).toMatchObject({ unsent: 2 });
      expect(await cancel(999_999)).toMatchObject({ status: 404 });
    });

    it('either downloads a file or cancels its batch when many requests try both concurrently', async () => {
      await earn();
      const outcomes = new Set<string>();
      for (let round = 0; round < 4; round++) {
        const { id } = await create(FILE);
        const calls: Promise<Reply>[] = [];
        for (let count = 0; count < 6; count++) {
          calls.push(count % 2 === round % 2 ? cancel(id) : download(id));
        }
        const statuses = (await Promise.all(calls)).map(({ status }) => status);
        const [first, second] = [0, 1].map((rest) => [
          ...new Set(statuses.filter((_, index) => index % 2 === rest)),
        ]);
        expect([first, second].map(String).sort()).toEqual(['200', '409']);
        const isCancelled = String(round % 2 === 0 ? first : second) === '200';
        outcomes.add(isCancelled ? 'cancelled' : 'downloaded');
        const items = ['cancelled', 'sent'].map((status) => ({ status }));
        const expected = isCancelled ? items[0] : items[1];
        expect(await readBatch(id)).toMatchObject({ items: [expected, expected] });
        if (isCancelled) continue;
        const { items: rows } = (await readBatch(id)) as { items: { payout_id: number }[] };
        const failed = rows.map(({ payout_id }) => `${payout_id},failed\n`).join('');
        await importCsv(id, `payout_id,status\n${failed}`);
      }
      expect(outcomes.size).toBeGreaterThan(0);
    });

    it('releases payouts that were not sent to the provider, and keeps those that may have been sent', async () => {
      await earn();
      stub.rejectsClient = true;
      const queued = await create(PROVIDER);
      await world.affkit.jobs.runOnce();
      expect(await readBatch(queued.id)).toMatchObject({ unsent: 2, unclear: 0 });
      expect(await cancel(queued.id)).toMatchObject({ status: 200, body: { data: { cancelled: 2 } } });
      expect(await readBatch(queued.id)).toMatchObject({
        status: 'closed',
        items: [{ status: 'cancelled', transfer_state: 'done' }, { status: 'cancelled' }],
      });
      stub.rejectsClient = false;
      world.clock.now += DAY;
      await world.affkit.jobs.runOnce();
      expect(stub.created).toHaveLength(0);
      // PayPal pays the first payout but does not reply, and rejects the second payout with 429.
      stub.faults = [
        { kind: 'reset', moves: true },
        { kind: 'status', status: 429, moves: false },
      ];
      const mixed = await create(PROVIDER);
      await world.affkit.jobs.runOnce();
      expect(await readBatch(mixed.id)).toMatchObject({ sent: 2, unsent: 1 });
      expect(await cancel(mixed.id)).toMatchObject({ body: { data: { sent: 1, unsent: 0, cancelled: 1 } } });
      expect(await cancel(mixed.id)).toMatchObject({ body: { data: { sent: 1, cancelled: 1 } } });
      const rest = await create(PROVIDER);
      await world.affkit.jobs.runOnce();
      expect(await cancel(rest.id)).toMatchObject(REFUSED);
      world.clock.now += DAY;
      await world.affkit.jobs.runOnce();
      for (const payout of stub.payouts) payout.status = 'SUCCESS';
      world.clock.now += DAY;
      await world.affkit.jobs.runOnce();
      expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': 1, 'ben@paypal.test': 1 });
      expect(await world.owed()).toEqual({ USD: [0, 0] });
    });

    it('does not send a payout again if its batch was cancelled while the provider refused it', async () => {
      const [anna, ben] = await earn();
      const batch = await create(PROVIDER);
      await world.engine.write(world.workspaceId, async ({ db }) => {
        const later = { run_at: world.clock.now + DAY };
        await db
          .updateTable('payout_transfers')
          .set(later)
          .where('payout_id', '=', ben ?? 0)
          .execute();
      });
      stub.faults = [{ kind: 'insufficient' }];
      stub.onStep = async (step) => {
        if (step === 'received') expect(await cancel(batch.id)).toMatchObject({ status: 200 });
      };
      await world.affkit.jobs.runOnce();
      stub.onStep = () => {};
      expect(await readBatch(batch.id)).toMatchObject({
        items: [
          { payout_id: anna, status: 'sent', transfer_state: 'queued' },
          { payout_id: ben, status: 'cancelled' },
        ],
      });
      world.clock.now += DAY;
      await world.affkit.jobs.runOnce();
      expect(stub.payouts).toEqual([]);
      expect(await readBatch(batch.id)).toMatchObject({ status: 'closed', cancelled: 2 });
      expect(await create(PROVIDER)).toMatchObject({ payouts: 2 });
    });

    it.each([0, 2])('releases unsent payouts once, with %i more cancellations', async (more) => {
      const nodes = [0, 1].map(() => openNode(world, providers()));
      await earn();
      const batch = await create(PROVIDER);
      // Simulates that the batch was cancelled during calls to the provider, and that the calls sent no payouts.
      await world.engine.write(world.workspaceId, async ({ db }) => {
        await db.updateTable('payout_batches').set({ cancelled_at: world.clock.now }).execute();
      });
      await Promise.all([
        ...[world.affkit, ...nodes].map(({ jobs }) => jobs.runOnce()),
        ...Array.from({ length: more }, () => cancel(batch.id)),
      ]);
      expect(stub.created).toEqual([]);
      expect(await readBatch(batch.id)).toMatchObject({ status: 'closed', cancelled: 2 });
      const releases = await world.engine.read
        .selectFrom('audit_log')
        .select('subject_id')
        .where('action', '=', 'payout.release')
        .execute();
      expect(releases).toHaveLength(2);
    });

    it('continues a cancellation that a crash has interrupted', async () => {
      await earn();
      const batch = await create(PROVIDER);
      // Creates the state after the first database transaction of a cancellation.
      await world.engine.write(world.workspaceId, async ({ db }) => {
        await db.updateTable('payout_batches').set({ cancelled_at: world.clock.now }).execute();
        await db.updateTable('payout_transfers').set({ run_at: null }).execute();
      });
      await world.affkit.jobs.runOnce();
      expect(stub.created).toHaveLength(0);
      expect(await readBatch(batch.id)).toMatchObject({ status: 'open', unsent: 2 });
      expect(await cancel(batch.id)).toMatchObject({ body: { data: { status: 'closed', cancelled: 2 } } });
    });

    it('pays each payout once when nodes send and cancel at the same time', async () => {
      const nodes = [0, 1].map(() => openNode(world, providers()));
      const ROUNDS = 4;
      for (let round = 0; round < ROUNDS; round++) {
        await earn();
        const batch = await create(PROVIDER);
        const runs = [world.affkit, ...nodes].map(
          ({ jobs }) =>
            () =>
              jobs.runOnce(),
        );
        const cancels = [0, 1, 2].map(() => () => cancel(batch.id));
        const calls = round % 2 === 0 ? [...runs, ...cancels] : [...cancels, ...runs];
        await Promise.all(calls.map((call) => call()));
        const { items, cancelled } = (await readBatch(batch.id)) as {
          items: { status: string; transfer_state: string }[];
          cancelled: number;
        };
        expect(items.filter(({ status }) => status === 'cancelled')).toHaveLength(cancelled);
        expect(stub.payouts.length).toBe(2 * (round + 1) - cancelled);
        if (cancelled > 0) await create(PROVIDER);
        await world.affkit.jobs.runOnce();
        for (const payout of stub.payouts) payout.status = 'SUCCESS';
        world.clock.now += DAY;
        await world.affkit.jobs.runOnce();
      }
      expect(stub.paidTimes()).toEqual({ 'anna@paypal.test': ROUNDS, 'ben@paypal.test': ROUNDS });
      expect(new Set(stub.created).size).toBe(2 * ROUNDS);
      expect(await world.owed()).toEqual({ USD: [0, 0] });
    });
  });
}
