import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { changeProgram, type ProgramChange } from '../../src/management/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';
import { findStep, TraceClient } from '../support/trace-client.ts';
import { unwrap } from '../support/world.ts';

export function commissionBaseContract(kind: string, open: OpenEngine): void {
  describe(`commission_base on ${kind}`, () => {
    let world: SaleWorld;
    beforeEach(async () => {
      world = await openSaleWorld(open);
    });
    afterEach(() => auditAndClose(world));

    const change = async (settings: ProgramChange) =>
      unwrap(await changeProgram(world.affkit.runtime, world.program, settings));
    const amounts = { amount_cents: 13_000, tax_cents: 2_000, shipping_cents: 1_000 };
    const earned = async () => (await world.commissions()).map((row) => row.amount_cents);
    const stored = () =>
      world.engine.read
        .selectFrom('sales')
        .select(['amount_cents', 'tax_cents', 'shipping_cents', 'base_cents'])
        .orderBy('id')
        .execute();

    test('with the value total, which is the default, commissions are also paid on tax and shipping', async () => {
      await world.sell(amounts);
      expect(await earned()).toEqual([2_600]);
      expect(await stored()).toEqual([{ ...amounts, base_cents: 13_000 }]);
    });

    test('with the value net, commissions are paid on the sale without tax and shipping', async () => {
      await change({ commission_base: 'net' });
      await world.sell(amounts);
      await world.sell({ transaction_id: 't2', amount_cents: 1_000, tax_cents: 190 });
      await world.sell({ transaction_id: 't3', amount_cents: 1_000 });
      await world.sell({ transaction_id: 't4', amount_cents: 1_000, shipping_cents: 1_000 });
      expect(await earned()).toEqual([2_000, 162, 200, 0]);
      expect((await stored()).map((sale) => sale.base_cents)).toEqual([10_000, 810, 1_000, 0]);
    });

    test('a refund of half the amount, which includes tax and shipping, deducts half of the commission', async () => {
      await change({ commission_base: 'net' });
      await world.sell(amounts);
      const refund = { transaction_id: 't1', refund_amount_cents: 6_500 };
      expect((await world.track('refund', refund)).body).toMatchObject({
        status: 'refunded',
        deductionAmount: 10,
      });
    });

    test('a change of commission_base affects neither earlier sales nor commissions that are still owed', async () => {
      await change({ commission_base: 'net' });
      const setPolicies = (deleted_at: number | null) =>
        world.engine.write(1, (tx) => tx.db.updateTable('policies').set({ deleted_at }).execute());
      await setPolicies(1);
      expect((await world.sell(amounts)).status).toBe(500);
      await setPolicies(null);
      await change({ commission_base: 'total' });
      world.clock.now += 3_600_000;
      await world.affkit.jobs.runOnce();
      expect(await earned()).toEqual([2_000]);
    });

    test.each(['net', 'total'] as const)(
      'a renewal that is recognized later keeps the base %s',
      async (base) => {
        const tracer = await TraceClient.of(world);
        await tracer.manage('POST', '/commission-policies', { type: 'percent', rate: 50, product_id: 'pro' });
        await change({ commission_base: base });
        const firstAt = world.clock.now;
        await tracer.pass(70 * DAY_MS);
        const line_items = [
          { product_id: 'pro', amount_cents: 1_000, tax_cents: 900 },
          { product_id: 'book', amount_cents: 1_000 },
        ];
        const sale = { amount_cents: 2_000, tax_cents: 900, subscription_id: 's1', line_items };
        expect((await world.sell(sale)).body).toMatchObject({ reason: 'window_expired' });
        await change({ commission_base: base === 'net' ? 'total' : 'net' });
        const occurred_at = new Date(firstAt).toISOString();
        const first = { transaction_id: 'first', amount_cents: 1_000, subscription_id: 's1', occurred_at };
        await world.sell({ ...first, line_items: line_items.map((line) => ({ ...line, tax_cents: 0 })) });
        const renewal = (await world.commissions()).find((row) => row.first_commission_id !== null);
        expect(renewal?.amount_cents).toBe(base === 'net' ? 250 : 700);
      },
    );

    test.each([
      [{ tax_cents: -1 }, 'tax_cents must be an integer of 0 or more'],
      [{ tax_cents: 1.5 }, 'tax_cents must be an integer of 0 or more'],
      [{ shipping_cents: '5' }, 'shipping_cents must be an integer of 0 or more'],
      [{ shipping_cents: 1e12 }, 'tax_cents and shipping_cents together must not exceed amount_cents'],
      [
        { tax_cents: 1_000, shipping_cents: 1_000 },
        'tax_cents and shipping_cents together must not exceed amount_cents',
      ],
    ])('rejects %j, even in test mode', async (fields, error) => {
      expect(await world.sell(fields)).toMatchObject({ status: 400, body: { error } });
      const additional_data = { test_mode: true };
      expect(await world.sell({ ...fields, additional_data })).toMatchObject({
        status: 400,
        body: { error },
      });
      expect(await stored()).toEqual([]);
    });

    test('the trace shows the base to the advertiser, and only the rule to the partner', async () => {
      await change({ commission_base: 'net' });
      await world.sell(amounts);
      const tracer = await TraceClient.of(world);
      const step = findStep(await tracer.steps('transaction_id=t1'), 'policy_applied');
      expect(step).toMatchObject({
        why: expect.stringContaining('The program pays commissions on the amount without tax and shipping.'),
        detail: { base_cents: 10_000, tax_cents: 2_000, shipping_cents: 1_000 },
      });
      const partner = await tracer.signInAs(world.anna.partnerId);
      const ofPartner = findStep(await tracer.steps('transaction_id=t1', partner), 'policy_applied');
      expect(ofPartner.why).toBe(step.why);
      for (const name of ['base_cents', 'tax_cents', 'shipping_cents']) {
        expect(ofPartner.detail).not.toHaveProperty(name);
      }
    });

    test('the setting is returned with the program, and validated', async () => {
      const tracer = await TraceClient.of(world);
      expect((await tracer.manage('GET', '')).body).toMatchObject({ data: { commission_base: 'total' } });
      expect((await tracer.manage('PUT', '', { commission_base: 'net' })).body).toMatchObject({
        data: { commission_base: 'net' },
      });
      expect(await tracer.manage('PUT', '', { commission_base: 'gross' })).toMatchObject({
        status: 400,
        body: { error: 'commission_base must be total or net' },
      });
    });

    test('a repeated sale with a different tax is not identical', async () => {
      await world.sell(amounts);
      expect((await world.sell(amounts)).body).toMatchObject({ identical: true });
      expect((await world.sell({ ...amounts, tax_cents: 1 })).body).toMatchObject({ identical: false });
    });
  });
}
