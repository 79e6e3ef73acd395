import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProgram, type ProgramChange } from '../../src/management/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';
import { findStep, TraceClient } from '../support/trace-client.ts';
import { unwrap } from '../support/world.ts';

export function saleMinimumContract(kind: string, open: OpenEngine): void {
  describe(`min_sale_cents on ${kind}`, () => {
    let world: SaleWorld;
    beforeEach(async () => {
      world = await openSaleWorld(open);
    });
    afterEach(() => auditAndClose(world));

    const change = async (settings: ProgramChange) =>
      unwrap(await changeProgram(world.affkit.runtime, world.program, settings));
    const sellTiny = () =>
      Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          world.sell({ transaction_id: `tiny${index}`, amount_cents: 3 }),
        ),
      );

    test('without a minimum, ten sales of 3 cents earn 10 cents, because each is rounded', async () => {
      await sellTiny();
      expect((await world.balances()).program).toEqual({ USD: 10 });
    });

    test('sales below the minimum are stored, but earn nothing', async () => {
      await change({ min_sale_cents: 30 });
      for (const reply of await sellTiny()) {
        expect(reply).toMatchObject({
          status: 200,
          body: {
            success: true,
            sale_id: expect.any(Number),
            commission_id: null,
            reason: 'below_min_sale',
            message: 'Sale recorded. It is below the minimum of the program, so no commission was created.',
          },
        });
      }
      expect((await world.balances()).program).toEqual({});
      expect((await world.sell({ amount_cents: 30 })).body).toMatchObject({
        commission_id: expect.any(Number),
      });
      expect((await world.balances()).program).toEqual({ USD: 6 });
    });

    test('the minimum also applies to renewals and to sales in other currencies', async () => {
      const subscription_id = 'sub';
      await world.sell({ amount_cents: 1000, subscription_id });
      await change({ min_sale_cents: 100 });
      for (const fields of [{ subscription_id }, { currency: 'JPY' }]) {
        const id = Object.keys(fields)[0];
        const reply = await world.sell({ transaction_id: id, amount_cents: 99, ...fields });
        expect(reply.body).toMatchObject({ commission_id: null, reason: 'below_min_sale' });
      }
    });

    test('a refund of a sale below the minimum has no commission to reverse', async () => {
      await change({ min_sale_cents: 30 });
      await world.sell({ amount_cents: 3 });
      expect(await world.track('refund', { transaction_id: 't1' })).toMatchObject({
        status: 200,
        body: { success: true, status: 'no_commission' },
      });
    });

    test('a change of the minimum affects neither earlier sales nor commissions that are still owed', async () => {
      await world.sell({ transaction_id: 'early', amount_cents: 10 });
      const setPolicies = (deleted_at: number | null) =>
        world.engine.write(1, (tx) => tx.db.updateTable('policies').set({ deleted_at }).execute());
      await setPolicies(1);
      expect((await world.sell({ transaction_id: 'owed', amount_cents: 10 })).status).toBe(500);
      await setPolicies(null);
      await change({ min_sale_cents: 30 });
      world.clock.now += 3_600_000;
      await world.affkit.jobs.runOnce();
      expect((await world.commissions()).map((row) => row.amount_cents)).toEqual([2, 2]);
    });

    test('the trace and the event list say why a sale below the minimum earned nothing', async () => {
      await change({ min_sale_cents: 250 });
      await world.sell({ amount_cents: 3 });
      const tracer = await TraceClient.of(world);
      await change({ min_sale_cents: 0 });
      const step = findStep(await tracer.steps('transaction_id=t1'), 'below_min_sale');
      expect(step).toMatchObject({
        step: 'no_commission',
        why: 'The sale is below the program’s minimum, which was 2.50 USD, so it earns no commission.',
        detail: { amount_cents: 3, min_sale_cents: 250 },
      });
      const partner = await tracer.signInAs(world.anna.partnerId);
      const ofPartner = await tracer.steps('transaction_id=t1', partner);
      expect(findStep(ofPartner, 'below_min_sale').detail).not.toHaveProperty('amount_cents');
      expect(await tracer.listEvents('eventType=conversion')).toMatchObject([
        { processor_event_id: 't1', no_commission_reason: 'below_min_sale' },
      ]);
    });

    test.each([-1, 1.5, '5', 1e12])('rejects %j', async (min_sale_cents) => {
      const tracer = await TraceClient.of(world);
      expect(await tracer.manage('PUT', '', { min_sale_cents })).toMatchObject({
        status: 400,
        body: { error: 'min_sale_cents must be an integer from 0 to 999999999999' },
      });
    });

    test('is returned with the program, and recorded in the audit log', async () => {
      const tracer = await TraceClient.of(world);
      const settings = { min_sale_cents: 30, require_origin: true, claimed_keys: 'pay' } as const;
      expect((await tracer.manage('PUT', '', settings)).body).toMatchObject({ data: settings });
      expect((await tracer.manage('GET', '')).body).toMatchObject({ data: settings });
      const { state_before, state_after } = await world.engine.read
        .selectFrom('audit_log')
        .select(['state_before', 'state_after'])
        .where('action', '=', 'program.update')
        .executeTakeFirstOrThrow();
      const defaults = { min_sale_cents: 0, require_origin: false, claimed_keys: 'review' };
      expect(JSON.parse(state_before ?? '')).toEqual({ ...defaults, currency: 'USD' });
      expect(JSON.parse(state_after ?? '')).toEqual({ ...settings, currency: 'USD' });
    });
  });
}
