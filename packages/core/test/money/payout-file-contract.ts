import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { enterPayPalDetails, openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';

interface Batch {
  readonly id: number;
}

const PAYPAL = { channel: 'file:paypal', currency: 'USD' };

/** Tests on every engine that a payout file never contains a payout that is paid or may be in another file. */
export function payoutFileContract(kind: string, open: OpenEngine): void {
  describe(`payout files on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
      await enterPayPalDetails(world);
    });
    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
    });

    /** Creates pending payouts of 20.00 for Anna and 40.00 for Ben. @returns the ids of the payouts */
    const earn = async (): Promise<[anna: number, ben: number]> => {
      await world.sell('a', 10_000);
      await world.sell('b', 20_000, { code: 'ben' });
      const [anna, ben] = await world.payOut();
      if (!anna || !ben) throw new Error('Expected two payouts');
      return [anna.id, ben.id];
    };
    const create = async (): Promise<Batch> => {
      const { body } = await world.ask('POST', '/payout-batches', PAYPAL);
      if (!body['data']) throw new Error(JSON.stringify(body));
      return body['data'] as Batch;
    };
    const download = (batchId: number) => world.ask('GET', `/payout-batches/${batchId}/file`);
    const read = async (batchId: number) =>
      (await world.ask('GET', `/payout-batches/${batchId}`)).body['data'];
    const importCsv = async (batchId: number, rows: string) =>
      (await world.ask('POST', `/payout-batches/${batchId}/import`, `payout_id,status\n${rows}`)).body[
        'meta'
      ];
    const lineOf = (batchId: number, payoutId: number, code: string, amount: string) =>
      `${code}@paypal.test,${amount},USD,P${batchId}-${payoutId},Shop program,PAYPAL\r\n`;
    const refusal = (advice: string) => ({
      status: 409,
      body: { code: 'payout_batch_state', error: expect.stringContaining(advice) },
    });

    it('a file cannot be downloaded for the first time after a payout in it was marked as paid', async () => {
      const [anna, ben] = await earn();
      const batch = await create();
      expect(await world.end(anna, 'mark-paid', { reference: 'by hand' })).toMatchObject({ status: 200 });
      expect(await download(batch.id)).toMatchObject(refusal('Cancel the batch, and create another batch'));
      expect(await read(batch.id)).toMatchObject({ status: 'open', downloaded_at: null, unsent: 1 });
      const cancelled = await world.ask('POST', `/payout-batches/${batch.id}/cancel`);
      expect(cancelled).toMatchObject({ status: 200, body: { data: { paid: 1, cancelled: 1 } } });
      expect(await download(batch.id)).toMatchObject(refusal('was cancelled'));
      const next = await create();
      expect(await download(next.id)).toMatchObject({
        status: 200,
        body: lineOf(next.id, ben, 'ben', '40.00'),
      });
    });

    it('payouts that were released from a file are only in the file of the next batch', async () => {
      const [anna, ben] = await earn();
      const batch = await create();
      expect(await importCsv(batch.id, `${anna},failed\n${ben},failed\n`)).toMatchObject({ failed: 2 });
      expect(await read(batch.id)).toMatchObject({ status: 'closed', downloaded_at: null });
      const next = await create();
      expect(await download(batch.id)).toMatchObject(refusal('If payouts failed, create another batch'));
      expect(await download(next.id)).toMatchObject({
        status: 200,
        body: lineOf(next.id, anna, 'anna', '20.00') + lineOf(next.id, ben, 'ben', '40.00'),
      });
      expect(await read(batch.id)).toMatchObject({ downloaded_at: null });
    });

    it.each(['paid', 'failed'])(
      'a file has the same bytes at each download, until a payout in it is %s',
      async (status) => {
        const [anna, ben] = await earn();
        const batch = await create();
        const first = await download(batch.id);
        expect(first).toMatchObject({ status: 200 });
        world.clock.now += 1000;
        expect((await download(batch.id)).body).toBe(first.body);
        // Neither a dry run nor a row without a result closes the file.
        await world.ask(
          'POST',
          `/payout-batches/${batch.id}/import?dry_run=1`,
          `payout_id,status\n${anna},${status}\n`,
        );
        await importCsv(batch.id, `${anna},sent\n`);
        expect((await download(batch.id)).body).toBe(first.body);
        expect(await importCsv(batch.id, `${anna},${status}\n`)).toMatchObject({ [status]: 1 });
        expect(await download(batch.id)).toMatchObject(refusal('Import the results of the other payouts'));
        expect(await importCsv(batch.id, `${ben},paid\n`)).toMatchObject({ paid: 1 });
        expect(await download(batch.id)).toMatchObject(refusal('is closed'));
      },
    );

    it('a download that runs concurrently with a payment returns the whole file or 409', async () => {
      const [anna, ben] = await earn();
      const batch = await create();
      const whole = lineOf(batch.id, anna, 'anna', '20.00') + lineOf(batch.id, ben, 'ben', '40.00');
      const [paid, ...downloads] = await Promise.all([
        importCsv(batch.id, `${anna},paid\n${ben},paid\n`),
        ...Array.from({ length: 8 }, () => download(batch.id)),
      ]);
      expect(paid).toMatchObject({ paid: 2, rejected: 0 });
      for (const { status, body } of downloads) {
        if (status === 200) expect(body).toBe(whole);
        else expect({ status, body }).toMatchObject({ status: 409, body: { code: 'payout_batch_state' } });
      }
      expect(await download(batch.id)).toMatchObject({ status: 409 });
    });
  });
}
