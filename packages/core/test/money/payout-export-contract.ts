import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { streamCsv } from '../../src/http/csv-export.ts';
import { payoutsCsv } from '../../src/http/payouts.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { afterResults } from '../support/after-results.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openPayoutWorld, type PayoutData, type PayoutWorld } from '../support/payout-world.ts';
import { START } from '../support/world.ts';

const HEAD =
  'id,partner_id,partner_name,partner_email,currency,status,amount_cents,amount,commissions,reference,ledger_position,ledger_hash,created_at,paid_at,cancelled_at';
const AT = new Date(START).toISOString();

export function payoutExportContract(kind: string, open: OpenEngine): void {
  describe(`the CSV export of payouts on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
    });
    afterEach(() => world.affkit.close());
    const file = (query = '') =>
      world.call('GET', `${world.path}/payouts.csv${query}`, undefined, world.credential);
    const lines = async (query = '') => String((await file(query)).body).split('\r\n');

    test('has a record for each payout, newest first, with the amount in minor and major units', async () => {
      expect(await lines()).toEqual([HEAD, '']);
      await world.sell('t1', 9950);
      const [first] = await world.payOut();
      await world.end(first?.id ?? 0, 'mark-paid', { reference: 'SEPA "1", two' });
      await world.sell('t2', 9950, { currency: 'JPY', code: 'ben' });
      const [second] = await world.payOut();
      const { anna, ben } = world;
      const records = [
        `${second?.id},${ben.partnerId},ben,ben@partner.example,JPY,pending,1990,1990,1,,${second?.ledger_position},${second?.ledger_hash},${AT},,`,
        `${first?.id},${anna.partnerId},anna,anna@partner.example,USD,paid,1990,19.90,1,"SEPA ""1"", two",${first?.ledger_position},${first?.ledger_hash},${AT},${AT},`,
      ];
      expect(await lines()).toEqual([HEAD, ...records, '']);
      expect(await lines('?status=paid')).toEqual([HEAD, records[1], '']);
      expect(await lines(`?partner_id=${ben.partnerId}`)).toEqual([HEAD, records[0], '']);
      expect(await file('?status=open')).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
      expect((await file()).headers).toMatchObject({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="payouts-shop-program.csv"',
      });
    });

    test('escapes formulas', async () => {
      const name = '=HYPERLINK("https://evil.example","pay")';
      await world.ask('PUT', `/partners/${world.anna.partnerId}`, { name });
      await world.sell('t1', 1000);
      const [payout] = await world.payOut();
      await world.end(payout?.id ?? 0, 'mark-paid', { reference: '+1-SUM(A1)' });
      const [, record = ''] = await lines();
      expect(record).toContain(`,"'=HYPERLINK(""https://evil.example"",""pay"")",`);
      expect(record).toContain(",'+1-SUM(A1),");
    });

    test('does not block the event loop', async () => {
      await addPayouts(world, 6_000);
      let turns = 0;
      const count = () => {
        turns += 1;
        turn = setImmediate(count);
      };
      let turn = setImmediate(count);
      await file();
      clearImmediate(turn);
      expect(turns).toBeGreaterThanOrEqual(3);
    });

    test('is read in pages from one snapshot', async () => {
      await world.sell('t1', 9950);
      const [first] = await world.payOut();
      await addPayouts(world, 2_000);
      const { runtime } = world.affkit;
      let change: Promise<PayoutData[]> | undefined;
      const changeOnce = async () => {
        change ??= world.end(first?.id ?? 0, 'cancel').then(() => world.payOut());
        await change;
      };
      const engine: Engine = {
        ...runtime.engine,
        read: afterResults(runtime.engine.read, changeOnce),
        snapshot: (look) => runtime.engine.snapshot((db) => look(afterResults(db, changeOnce))),
      };
      const all = payoutsCsv(world.program, {
        range: { from: null, to: null },
        sort: 'created_at',
        order: 'desc',
      });
      const text = await new Response(await streamCsv({ ...runtime, engine }, all)).text();
      const [second] = (await change) ?? [];
      const statuses = text.split('\r\n').map((line) => [Number(line.split(',')[0]), line.split(',')[5]]);
      expect(statuses).toHaveLength(1 + 2_001 + 1);
      expect(statuses).toContainEqual([first?.id, 'pending']);
      expect(await lines(`?status=pending`)).toEqual([HEAD, expect.stringMatching(`^${second?.id},`), '']);
    });

    test('contains each payout once when the payouts fill more than one page', async () => {
      const count = 4_001;
      await addPayouts(world, count);
      const ids = (await lines()).slice(1, -1).map((line) => Number(line.split(',')[0]));
      expect(ids).toHaveLength(count);
      expect(ids).toEqual([...new Set(ids)].sort((one, other) => other - one));
    });
  });
}

async function addPayouts(world: PayoutWorld, count: number): Promise<void> {
  await world.engine.write(world.workspaceId, async (tx) => {
    for (let done = 0; done < count; done += 500) {
      const rows = Array.from({ length: Math.min(500, count - done) }, () => ({
        program_id: world.program.id,
        partner_id: world.anna.partnerId,
        currency: 'USD',
        status: 'cancelled' as const,
        amount_cents: 1,
        reference: null,
        chain_position: null,
        chain_hash: null,
        created_at: START,
        paid_at: null,
        cancelled_at: START,
      }));
      await tx.db.insertInto('payouts').values(rows).execute();
    }
  });
}
