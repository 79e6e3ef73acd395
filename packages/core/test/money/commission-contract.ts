import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/calendar.ts';
import { rejectCommission } from '../../src/management/commissions.ts';
import { changePolicy, createPolicy } from '../../src/management/policies.ts';
import { changeProgram, deleteProgram, type ProgramChange } from '../../src/management/programs.ts';
import { isRejection } from '../../src/rejection.ts';
import { createRecorders } from '../../src/tracking/recorders.ts';
import { repairCommission } from '../../src/tracking/repair-commission.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';
import { START, unwrap } from '../support/world.ts';

export function commissionContract(kind: string, open: OpenEngine): void {
  describe(`commissions on ${kind}`, () => {
    let world: SaleWorld;
    beforeEach(async () => {
      world = await openSaleWorld(open);
    });
    afterEach(() => auditAndClose(world));

    describe('a commission policy', () => {
      test('a policy for both the product and the partner takes precedence over all other policies', async () => {
        const { runtime } = world.affkit;
        const partner_id = world.anna.partnerId;
        unwrap(await createPolicy(runtime, world.program, { type: 'percent', rate: 30, partner_id }));
        unwrap(await createPolicy(runtime, world.program, { type: 'percent', rate: 40, product_id: 'pro' }));
        unwrap(
          await createPolicy(runtime, world.program, {
            type: 'flat',
            amount_cents: 777,
            product_id: 'pro',
            partner_id,
          }),
        );
        const amounts = [];
        for (const product_id of [undefined, 'pro', 'basic']) {
          await world.sell({ transaction_id: `t${product_id}`, amount_cents: 1000, product_id });
        }
        await world.sell({
          transaction_id: 'ben',
          amount_cents: 1000,
          product_id: 'pro',
          click_id: await world.click('ben'),
        });
        for (const row of await world.commissions()) amounts.push(row.amount_cents);
        expect(amounts).toEqual([300, 777, 300, 400]);
      });

      test("during the recurring months, renewals earn on the first sale's terms, even after the attribution window", async () => {
        const { runtime } = world.affkit;
        const policy = unwrap(
          await createPolicy(runtime, world.program, {
            type: 'percent',
            rate: 50,
            product_id: 'sub',
            recurring_months: 2,
          }),
        );
        const renew = (transaction_id: string) =>
          world.sell({
            transaction_id,
            amount_cents: 1000,
            product_id: 'sub',
            subscription_id: 's1',
            sale_type: 'subscription',
          });
        await renew('first');
        unwrap(
          await changePolicy(runtime, world.program, policy.id, {
            type: 'percent',
            rate: 10,
            recurring_months: null,
          }),
        );
        world.clock.now = Date.UTC(2026, 7, 15, 23, 59);
        await renew('second');
        world.clock.now = Date.UTC(2026, 7, 16);
        expect((await renew('third')).body).toMatchObject({
          success: true,
          commission_id: null,
          reason: 'recurring_ended',
        });
        const [first, second] = await world.commissions();
        expect([first?.amount_cents, second?.amount_cents, second?.first_commission_id]).toEqual([
          500,
          500,
          first?.id,
        ]);
      });

      test('a product whose renewals earn nothing still earns nothing after the first commission is rejected', async () => {
        const { runtime } = world.affkit;
        const setup = { type: 'percent', rate: 50, product_id: 'setup', recurring_months: 0 } as const;
        unwrap(await createPolicy(runtime, world.program, setup));
        const pay = (transaction_id: string) =>
          world.sell({
            transaction_id,
            amount_cents: 2000,
            subscription_id: 's1',
            line_items: [
              { product_id: 'setup', amount_cents: 1000 },
              { product_id: 'plan', amount_cents: 1000 },
            ],
          });
        const rejectOldest = async () => {
          const open = (await world.commissions()).find((row) => row.status !== 'rejected');
          unwrap(await rejectCommission(runtime, world.program, open?.id ?? 0));
        };
        await pay('first');
        for (const id of ['second', 'third']) {
          world.clock.now += DAY_MS;
          await pay(id);
          await rejectOldest();
        }
        world.clock.now += DAY_MS;
        await pay('fourth');
        const amounts = (await world.commissions()).map((row) => row.amount_cents);
        expect(amounts).toEqual([700, 200, 200, 200]);
      });

      test('without a policy, a sale gets a 500 but is stored, and a job creates its commission later', async () => {
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('policies').set({ deleted_at: 1 }).execute();
        });
        expect(await world.sell()).toMatchObject(
          errorResponse(500, 'Failed to create commission', 'commission_failed'),
        );
        expect((await world.sell()).status).toBe(409);
        await world.affkit.jobs.runOnce();
        expect(await world.commissions()).toEqual([]);
        await world.engine.write(1, async (tx) => {
          await tx.db.updateTable('policies').set({ deleted_at: null }).execute();
        });
        world.clock.now += 3_600_000;
        await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
        await world.affkit.jobs.runOnce();
        expect(await world.commissions()).toMatchObject([{ amount_cents: 400 }]);
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });
    });

    test.each([5, 90])(
      'an owed commission uses the attribution window at the time of its sale, even if the window is now %i days',
      async (cookieWindowDays) => {
        const setPolicies = (deleted_at: number | null) =>
          world.engine.write(1, (tx) => tx.db.updateTable('policies').set({ deleted_at }).execute());
        const { runtime } = world.affkit;
        world.clock.now += 10 * DAY_MS;
        await setPolicies(1);
        expect((await world.sell()).status).toBe(500);
        await setPolicies(null);
        unwrap(await changeProgram(runtime, world.program, { cookie_window_days: cookieWindowDays }));
        world.clock.now += 3_600_000;
        await world.affkit.jobs.runOnce();
        expect(await world.commissions()).toMatchObject([{ amount_cents: 400 }]);
      },
    );

    describe('a program that changes while a sale is being processed', () => {
      const sellWithStaleProgram = (transaction_id: string) =>
        createRecorders(world.affkit.runtime).sales.record({
          program: world.program,
          sale: { transaction_id, amount_cents: 1000, click_id: world.clickId },
        });
      const change = async (settings: ProgramChange) =>
        unwrap(await changeProgram(world.affkit.runtime, world.program, settings));

      test('a sale uses the currency, hold and window that the program has when the sale is stored', async () => {
        const flat = { type: 'flat' as const, amount_cents: 50, partner_id: world.anna.partnerId };
        unwrap(await createPolicy(world.affkit.runtime, world.program, flat));
        await change({ currency: 'EUR', hold_days: 30, cookie_window_days: 10 });
        unwrap(await sellWithStaleProgram('t1'));
        world.clock.now += 11 * DAY_MS;
        expect(unwrap(await sellWithStaleProgram('t2'))).toMatchObject({ reason: 'window_expired' });
        expect(await world.commissions()).toMatchObject([
          { amount_cents: 50, currency: 'EUR', status: 'pending', releasable_at: START + 30 * DAY_MS },
        ]);
      });

      test('program and first commission have the same currency, whichever transaction commits first', async () => {
        const flat = { type: 'flat' as const, amount_cents: 50, partner_id: world.anna.partnerId };
        unwrap(await createPolicy(world.affkit.runtime, world.program, flat));
        const [changed] = await Promise.all([
          changeProgram(world.affkit.runtime, world.program, { currency: 'EUR' }),
          sellWithStaleProgram('t1'),
        ]);
        const currency = isRejection(changed) ? 'USD' : 'EUR';
        expect(await world.commissions()).toMatchObject([{ currency }]);
      });
    });

    describe('a commission that cannot be stored', () => {
      beforeEach(async () => {
        await world.engine.write(1, (tx) =>
          tx.db.schema.alterTable('ledger_entries').renameTo('gone').execute(),
        );
        expect(await world.sell()).toMatchObject(
          errorResponse(500, 'Failed to create commission', 'commission_failed'),
        );
        await world.engine.write(1, (tx) =>
          tx.db.schema.alterTable('gone').renameTo('ledger_entries').execute(),
        );
      });

      test('the repair job creates the commission once, on the terms at the time of the sale', async () => {
        expect(await world.engine.read.selectFrom('sales').select('id').execute()).toHaveLength(1);
        expect((await world.sell()).status).toBe(409);
        world.clock.now += 60_000;
        await Promise.all([world.affkit.jobs.runOnce(), world.affkit.jobs.runOnce()]);
        expect(await world.commissions()).toMatchObject([{ amount_cents: 400, commission_at: START }]);
        expect(await world.balances()).toEqual({ program: { USD: 400 }, partner: { USD: 400 } });
      });

      test('a program cannot be deleted while the commission for one of its sales has not been created yet', async () => {
        expect(await deleteProgram(world.affkit.runtime, world.program)).toMatchObject({
          code: 'program_has_balance',
        });
        await world.affkit.jobs.runOnce();
        expect(await world.commissions()).toMatchObject([{ amount_cents: 400 }]);
      });

      test('a refund creates the missing commission if it arrives before the repair job runs', async () => {
        expect((await world.track('refund', { transaction_id: 't1' })).body).toMatchObject({
          status: 'reversed',
          deductionAmount: 4,
        });
        await world.affkit.jobs.runOnce();
        expect(await world.commissions()).toMatchObject([{ amount_cents: 400, status: 'reversed' }]);
        expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
      });

      test('a refund creates the commission with the subscription that a repeated sale named, so renewals earn', async () => {
        expect((await world.sell({ subscription_id: 'yearly' })).status).toBe(409);
        world.clock.now += 70 * DAY_MS;
        const renewal = await world.sell({ transaction_id: 't2', subscription_id: 'yearly' });
        expect(renewal.body).toMatchObject({ commission_id: null, reason: 'window_expired' });
        await world.track('refund', { transaction_id: 't1', refund_amount_cents: 500 });
        await world.affkit.jobs.runOnce();
        const [first, second] = await world.commissions();
        expect(first).toMatchObject({ subscription_id: 'yearly', amount_cents: 400, deducted_cents: 100 });
        expect(second).toMatchObject({
          first_commission_id: first?.id,
          amount_cents: 400,
          deducted_cents: 0,
        });
        expect(await world.engine.read.selectFrom('outbox').select('kind').execute()).toEqual([]);
      });

      test('a commission that is created late uses the hold that the program has at that time', async () => {
        const { runtime } = world.affkit;
        const sale = await world.engine.read.selectFrom('sales').selectAll().executeTakeFirstOrThrow();
        unwrap(await changeProgram(runtime, world.program, { hold_days: 30 }));
        await world.engine.write(1, (tx) => repairCommission(tx, runtime, world.program, sale));
        expect(await world.commissions()).toMatchObject([{ status: 'pending' }]);
      });
    });
  });
}
