import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPayouts } from '../../src/management/create-payouts.ts';
import { markPayoutPaid } from '../../src/management/payouts.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import type { Transaction } from '../../src/storage/database/engine/engine.ts';
import { runMigrationStatements } from '../../src/storage/database/migrations/dialect.ts';
import { migrate } from '../../src/storage/database/migrations/migrate.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import { usesCitus } from '../support/citus-server.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openSaleWorld, type SaleWorld } from '../support/sale-world.ts';
import { propertyRuns } from '../support/test-depth.ts';
import { unwrap } from '../support/world.ts';

export function severalRefundsContract(kind: string, open: OpenEngine): void {
  describe(`several refunds of a sale on ${kind}`, () => {
    let world: SaleWorld;
    beforeEach(async () => {
      world = await openSaleWorld(open);
    });
    afterEach(async () => {
      await world.affkit.jobs.runOnce();
      expect((await verifyLedger(world.affkit.runtime, null)).fault).toBeNull();
      await auditAndClose(world);
    });

    const refund = async (
      refund_id: string | undefined,
      refund_amount_cents?: number,
      transaction_id = 't1',
    ) => {
      const body = { transaction_id, refund_id, refund_amount_cents };
      return (await world.track('refund', body)).body;
    };
    const deducted = (status: string, deductionAmount: number) => ({
      success: true,
      status,
      deductionAmount,
      commission_id: 1,
    });

    test('each refund_id is deducted once, and the refund of the rest reverses the commission', async () => {
      await world.sell();
      expect(await refund('r1', 500)).toEqual(deducted('refunded', 1));
      expect(await refund('r2', 500)).toEqual(deducted('refunded', 1));
      expect(await refund('r1', 500)).toEqual(deducted('refunded', 1));
      expect(await world.commissions()).toMatchObject([{ status: 'refunded', deducted_cents: 200 }]);
      expect(await refund('r3', 999)).toEqual(deducted('reversed', 2));
      expect(await world.commissions()).toMatchObject([{ status: 'reversed', deducted_cents: 400 }]);
      expect(await refund('r1', 700)).toEqual(deducted('refunded', 1));
      expect(await refund('r3')).toEqual(deducted('reversed', 2));
      expect(await refund('r4', 1)).toMatchObject({ status: 'skipped', reason: 'already reversed' });
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
    });

    test('a refund with an id but without an amount refunds all that is left', async () => {
      await world.sell();
      await refund('r1', 500);
      expect(await refund('r2')).toEqual(deducted('reversed', 3));
      await world.sell({ transaction_id: 't2' });
      expect(await refund('r1', 1999, 't2')).toMatchObject({ status: 'reversed', deductionAmount: 4 });
    });

    test('an amount that exceeds the rest of the sale is rejected with an error that says how much is left', async () => {
      await world.sell();
      await refund('r1', 500);
      const reply = await world.track('refund', {
        transaction_id: 't1',
        refund_id: 'r2',
        refund_amount_cents: 1500,
      });
      expect(reply).toMatchObject({
        status: 400,
        body: {
          code: 'refund_exceeds_sale',
          error: 'refund_amount_cents exceeds the rest of the sale: 1499 of 1999',
        },
      });
      expect(await refund('r2', 1499)).toEqual(deducted('reversed', 3));
    });

    test('a second refund without an id is skipped, and the response says what to send', async () => {
      await world.sell();
      await refund(undefined, 500);
      expect(await refund(undefined, 500)).toEqual({
        success: true,
        status: 'skipped',
        reason: 'already reversed',
        message: 'The sale was partially refunded before. Send refund_id to apply another refund.',
        commission_id: 1,
      });
      expect(await refund('r2', 1499)).toEqual(deducted('reversed', 3));
      expect(await refund(undefined)).toMatchObject({
        status: 'skipped',
        message: 'The whole sale was refunded before, so nothing is left to deduct.',
      });
    });

    test.each([null, ''])('treats a refund_id of %j as absent', async (refund_id) => {
      await world.sell();
      await world.track('refund', { transaction_id: 't1', refund_id, refund_amount_cents: 500 });
      const again = await world.track('refund', { transaction_id: 't1', refund_id, refund_amount_cents: 1 });
      expect(again.body).toMatchObject({ status: 'skipped' });
    });

    test('many concurrent requests apply each id once', async () => {
      await world.sell();
      const ids = Array.from({ length: 40 }, (_, index) => `r${index % 4}`);
      const replies = await Promise.all(ids.map((id) => refund(id, 499)));
      for (const id of new Set(ids)) {
        const same = replies.filter((_reply, index) => ids[index] === id);
        expect(new Set(same.map((reply) => JSON.stringify(reply))).size).toBe(1);
      }
      expect(await world.commissions()).toMatchObject([{ status: 'refunded', deducted_cents: 399 }]);
      await Promise.all(ids.map((_id, index) => refund(`last${index}`)));
      expect(await world.commissions()).toMatchObject([{ status: 'reversed', deducted_cents: 400 }]);
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
    });

    test('after the payout is paid, a refund makes the balance negative', async () => {
      await world.sell();
      await refund('r1', 500);
      const [payout] = unwrap(await createPayouts(world.affkit.runtime, world.program, {}));
      await refund('r2', 500);
      unwrap(await markPayoutPaid(world.affkit.runtime, world.program, payout?.id ?? 0, {}));
      expect(await world.balances()).toEqual({ program: { USD: 0 }, partner: { USD: 0 } });
      expect(await refund('r3')).toEqual(deducted('reversed', 2));
      expect(await world.balances()).toEqual({ program: { USD: -200 }, partner: { USD: -200 } });
    });

    test('refunds that add up to the sale amount deduct exactly the commission', async () => {
      let count = 0;
      const parts = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 2, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(parts, fc.boolean(), async (amounts, isConcurrent) => {
          const transaction_id = `p${count++}`;
          const amount_cents = amounts.reduce((sum, cents) => sum + cents, 0);
          await world.sell({ transaction_id, amount_cents });
          const calls = amounts.map((cents, index) => () => refund(`r${index}`, cents, transaction_id));
          if (isConcurrent) await Promise.all(calls.map((call) => call()));
          else for (const call of calls) await call();
          const commission = (await world.commissions()).at(-1);
          expect(commission).toMatchObject({ status: 'reversed' });
          expect(commission?.deducted_cents).toBe(commission?.amount_cents);
        }),
        propertyRuns({ short: 15, long: 200 }),
      );
      expect((await world.balances()).program).toEqual({ USD: 0 });
    });

    // On a cluster, the restored tables would not be distributed.
    if (!usesCitus) {
      test('keeps the refunds of earlier versions, and still does not deduct those that earlier versions skipped', async () => {
        await world.sell();
        await world.sell({ transaction_id: 't2' });
        await refund(undefined, 500);
        await refund(undefined, undefined, 't2');
        await world.engine.write(world.workspaceId, restoreEarlierSchema);
        const rows = await world.engine.read.selectFrom('refunds').selectAll().orderBy('id').execute();
        expect(rows).toMatchObject([
          {
            source: 'processor',
            refund_amount_cents: 500,
            applied_cents: 500,
            deduction_cents: 100,
            status: 'refunded',
          },
          {
            source: 'api',
            refund_amount_cents: null,
            applied_cents: 1999,
            deduction_cents: 400,
            status: 'reversed',
          },
          { source: 'processor', applied_cents: 1000, deduction_cents: 0, status: 'refunded' },
        ]);
        expect(await refund('r1', 500)).toMatchObject({ code: 'refund_exceeds_sale' });
        expect(await refund('r1')).toEqual(deducted('reversed', 3));
      });
    }
  });
}

/**
 * Restores the tables of earlier versions, and migrates them. In these tables, the first sale has a charge
 * with refunds of 15.00. Only the first 5.00 were deducted, and the rest was skipped.
 */
async function restoreEarlierSchema(tx: Transaction): Promise<void> {
  const db = tx.db as unknown as Kysely<unknown>;
  const columns =
    'program_id, id, sale_id, commission_id, refund_amount_cents, deduction_cents, reason, refund_at, created_at';
  await runMigrationStatements(db, tx.dialect, [
    `DELETE FROM affkit_migrations WHERE name IN ('0018-several-refunds', '0065-lost-disputes')`,
    'DROP TABLE processor_refunds',
    `CREATE TABLE copied_refunds AS SELECT ${columns} FROM refunds`,
    'DROP TABLE refunds',
    `CREATE TABLE refunds (
      program_id INT NOT NULL, id ID, sale_id INT NOT NULL, commission_id INT NOT NULL, refund_amount_cents INT,
      deduction_cents INT NOT NULL CHECK (deduction_cents >= 0), reason TEXT, refund_at INT NOT NULL,
      created_at INT NOT NULL, LEAF_KEY, UNIQUE (program_id, commission_id),
      FOREIGN KEY (program_id, commission_id) REFERENCES commissions (program_id, id))`,
    `INSERT INTO refunds (${columns}) SELECT ${columns} FROM copied_refunds`,
    'DROP TABLE copied_refunds',
    'CREATE INDEX refunds_by_sale ON refunds (program_id, sale_id)',
    ...['settled_cents', 'deducted_cents', 'matched_cents'].map(
      (name) => `ALTER TABLE processor_charges ADD COLUMN ${name} INT NOT NULL DEFAULT 0`,
    ),
    `INSERT INTO processor_charges (workspace_id, charge, program_id, sale_id, currency, refunded_cents, is_whole,
      refunded_at, settled_cents, deducted_cents, parked_at)
    SELECT 1, 'ch_1', program_id, sale_id, 'USD', 1500, 0, 1, 1500, 500, 1 FROM refunds
    WHERE refund_amount_cents = 500`,
  ]);
  await migrate(tx.db, tx.dialect);
}
