import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, openPayoutWorld, type PayoutWorld } from '../support/payout-world.ts';
import { signInOwner } from '../support/world.ts';

interface Run {
  readonly id: number;
  readonly month: string;
  readonly status: string;
  readonly totals: unknown;
}

export function payoutRunContract(kind: string, open: OpenEngine): void {
  describe(`the payout schedule on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      // The clock starts on 15 June 2026, 12:00.
      world = await openPayoutWorld(open);
    });
    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
    });

    const settings = (body: object) => world.ask('PUT', '/payout-settings', body);
    const runs = async () => (await world.ask('GET', '/payout-runs')).body['data'] as Run[];
    const payouts = async () =>
      (await world.ask('GET', '/payouts')).body['data'] as { amount_cents: number }[];
    const asOwner = async (path: string) =>
      world.call('POST', `${world.path}${path}`, undefined, await signInOwner(world));
    const notices = async () => {
      const rows = await world.engine.read
        .selectFrom('notifications')
        .select('payload')
        .where('kind', '=', 'payouts_proposed')
        .execute();
      return rows.map(({ payload }) => JSON.parse(payload) as unknown);
    };

    it("creates no payout below the partner's minimum, or below the program's if the partner has no minimum", async () => {
      await world.sell('a', 10_000);
      await world.sell('b', 20_000, { code: 'ben' });
      await settings({ min_payout_cents: 3000 });
      const preview = await world.ask('POST', '/payouts/preview', {});
      expect(preview.body['data']).toMatchObject([{ partner_id: world.ben.partnerId, amount_cents: 4000 }]);
      const anna = `/partners/${world.anna.partnerId}`;
      expect((await world.ask('PUT', anna, { min_payout_cents: 2000 })).body['data']).toMatchObject({
        min_payout_cents: 2000,
        status: 'approved',
      });
      await world.ask('PUT', `/partners/${world.ben.partnerId}`, { min_payout_cents: 4001 });
      expect((await world.payOut()).map(({ amount_cents }) => amount_cents)).toEqual([2000]);
      expect((await world.ask('PUT', anna, { min_payout_cents: null })).body['data']).toMatchObject({
        min_payout_cents: null,
      });
      // The minimum in the request takes precedence.
      expect((await world.payOut({ min_amount_cents: 1 })).map(({ amount_cents }) => amount_cents)).toEqual([
        4000,
      ]);
      for (const value of [0, -1, 1.5, '1']) {
        expect(await settings({ min_payout_cents: value })).toMatchObject({ status: 400 });
      }
    });

    it('proposes the payouts of a month once, even if the job runs many times concurrently', async () => {
      await world.sell('a', 10_000);
      await settings({ schedule_day: 15 });
      await Promise.all(Array.from({ length: 6 }, () => world.affkit.jobs.runOnce()));
      await world.affkit.jobs.runOnce();
      const totals = [{ currency: 'USD', payouts: 1, amount_cents: 2000 }];
      const [run] = await runs();
      expect(await runs()).toMatchObject([{ month: '2026-06', status: 'proposed', totals }]);
      expect(await notices()).toEqual([{ payoutRunId: run?.id, month: '2026-06', totals }]);
      expect(await payouts()).toEqual([]);
      world.clock.now += 29 * DAY;
      await world.affkit.jobs.runOnce();
      expect(await runs()).toHaveLength(1);
      world.clock.now += DAY;
      await world.affkit.jobs.runOnce();
      expect((await runs()).map(({ month }) => month)).toEqual(['2026-07', '2026-06']);
    });

    it('the schedule begins next month if the day has passed, and uses the last day of shorter months', async () => {
      await world.sell('a', 10_000);
      await settings({ schedule_day: 14 });
      await world.affkit.jobs.runOnce();
      expect(await runs()).toEqual([]);
      await settings({ schedule_day: 31 });
      world.clock.now = Date.UTC(2026, 5, 29, 23, 59);
      await world.affkit.jobs.runOnce();
      expect(await runs()).toEqual([]);
      world.clock.now = Date.UTC(2026, 5, 30);
      await world.affkit.jobs.runOnce();
      expect(await runs()).toMatchObject([{ month: '2026-06', status: 'proposed' }]);
      // The service was down on the last day of July. A change of another setting keeps the schedule.
      await settings({ min_payout_cents: 1 });
      world.clock.now = Date.UTC(2026, 7, 3);
      await world.affkit.jobs.runOnce();
      expect((await runs()).map(({ month }) => month)).toEqual(['2026-07', '2026-06']);
      await settings({ schedule_day: null });
      world.clock.now = Date.UTC(2026, 8, 30);
      await world.affkit.jobs.runOnce();
      expect(await runs()).toHaveLength(2);
    });

    it('stores an empty proposal without a notification when nothing is payable', async () => {
      await settings({ schedule_day: 15 });
      await world.affkit.jobs.runOnce();
      const [run] = await runs();
      expect(run).toMatchObject({ status: 'empty', totals: [] });
      expect(await notices()).toEqual([]);
      expect(await asOwner(`/payout-runs/${run?.id}/confirm`)).toMatchObject({ status: 409 });
    });

    it('creates the payouts once when an owner confirms, even if many confirmations are concurrent', async () => {
      await world.sell('a', 10_000);
      await settings({ schedule_day: 15 });
      await world.affkit.jobs.runOnce();
      const [run] = await runs();
      const confirm = `/payout-runs/${run?.id}/confirm`;
      expect(await world.ask('POST', confirm)).toMatchObject({ status: 401 });
      const replies = await Promise.all(Array.from({ length: 5 }, () => asOwner(confirm)));
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(replies.flatMap(({ body }) => body['payouts'])).toHaveLength(1);
      expect(await payouts()).toMatchObject([{ amount_cents: 2000 }]);
      await world.sell('later', 10_000);
      expect((await asOwner(confirm)).body).toMatchObject({ data: { status: 'confirmed' }, payouts: [] });
      expect(await payouts()).toHaveLength(1);
      expect(await asOwner(`/payout-runs/${run?.id}/dismiss`)).toMatchObject({ status: 409 });
      expect(await asOwner('/payout-runs/999999/confirm')).toMatchObject({ status: 404 });
    });

    it('leaves the amounts of a dismissed proposal payable', async () => {
      await world.sell('a', 10_000);
      await settings({ schedule_day: 15 });
      await world.affkit.jobs.runOnce();
      const [run] = await runs();
      for (let turn = 0; turn < 2; turn++) {
        const reply = await asOwner(`/payout-runs/${run?.id}/dismiss`);
        expect(reply.body['data']).toMatchObject({ status: 'dismissed' });
      }
      expect(await asOwner(`/payout-runs/${run?.id}/confirm`)).toMatchObject({
        status: 409,
        body: { error: 'The payouts of 2026-06 are no longer proposed. Current status: dismissed' },
      });
      expect((await world.payOut()).map(({ amount_cents }) => amount_cents)).toEqual([2000]);
    });
  });
}
