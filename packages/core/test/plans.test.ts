import { CompiledQuery, type Kysely } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFirstCommission } from '../src/storage/commissions.ts';
import type { Engine, Transaction } from '../src/storage/engine/engine.ts';
import { sqliteKysely } from '../src/storage/engine/sqlite-dialect.ts';
import { approveReleased, findDueHolds } from '../src/storage/holds.ts';
import { findUnsealedPrograms } from '../src/storage/ledger-chain.ts';
import { listKnownTransactions } from '../src/storage/sales.ts';
import type { Schema } from '../src/storage/schema.ts';
import { migratedInMemory } from './migrated-sqlite.ts';

let engine: Engine;
let plan: string[];
/** Notes how SQLite goes about each statement. */
let db: Kysely<Schema>;

beforeEach(async () => {
  engine = await migratedInMemory();
  plan = [];
  db = sqliteKysely(async (query) => {
    const explain = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${query.sql}`, [...query.parameters]);
    const { rows } = await engine.read.executeQuery<{ detail: string }>(explain);
    plan.push(...rows.map(({ detail }) => detail));
    return await engine.read.executeQuery(query);
  });
});

afterEach(() => engine.close());

test("a renewal looks at its customer's commissions only, not at all of the program", async () => {
  await findFirstCommission(db, { id: 1, workspaceId: 1 }, 2, 'sub_1', null);
  expect(plan[0]).toBe(
    'SEARCH commissions USING INDEX commissions_by_subscription (program_id=? AND customer_id=? AND subscription_id=?)',
  );
  expect(plan.filter((step) => /^SCAN/.test(step))).toEqual([]);
  expect(plan).toContainEqual(
    expect.stringMatching(/^SEARCH processor_refs USING .*\(workspace_id=\? AND ref=\?\)$/),
  );
});

test('of the ids that a program asks for each is looked up, and no other one', async () => {
  await listKnownTransactions({ dialect: 'sqlite', read: db }, { id: 1, workspaceId: 2 }, ['order-1']);
  expect(plan.filter((step) => step.startsWith('SEARCH'))).toEqual([
    expect.stringMatching(/^SEARCH sales .*\(program_id=\? AND is_test=\? AND processor_event_id=\?\)$/),
    expect.stringMatching(/^SEARCH processor_refs .*\(workspace_id=\? AND ref=\?\)$/),
  ]);
});

test('of commissions on hold those alone are looked at whose hold is over', async () => {
  await findDueHolds(db, 1, 500);
  expect(plan).toContainEqual(
    expect.stringMatching(/^SEARCH commissions USING .*INDEX commissions_on_hold \(releasable_at<\?\)$/),
  );
  plan = [];
  // It asks nothing else of the transaction.
  const tx = { db, dialect: 'sqlite' } as Transaction;
  await approveReleased(tx, [{ workspaceId: 1, programId: 1, commissionId: 1 }], 1);
  expect(plan).toContainEqual(expect.stringMatching(/^SEARCH commissions USING .*(rowid|id)=\?/));
});

test('of the entries of a ledger that wait for their seal one of each program is looked at', async () => {
  await findUnsealedPrograms(db);
  expect(plan).toContainEqual(
    expect.stringMatching(/^SEARCH ledger_entries USING .*INDEX ledger_entries_unsealed \(program_id=\?\)$/),
  );
  expect(plan.filter((step) => /^SCAN ledger_entries/.test(step))).toEqual([]);
});
