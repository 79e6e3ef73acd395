import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryKinds } from '../../../test/support/engine-kinds.ts';
import type { Engine } from '../database/engine/engine.ts';
import { PROGRAM_COLUMNS, TRANSFER_TABLES } from './transfer-tables.ts';

/** Tables with rows of a program that an export leaves out. The value is the reason. */
const NOT_EXPORTED: Readonly<Record<string, string>> = {
  audit_log: 'contains ids of users of this installation',
  balances: 'computed from the ledger',
  breakdown_progress: 'computed from events',
  breakdowns: 'computed from events',
  bulk_requests: 'kept for some days only',
  bulk_results: 'kept for some days only',
  chain_tests: 'limits the rate of a command',
  click_keys: 'kept for 72 hours only',
  commission_totals: 'computed by triggers',
  daily_totals: 'computed from events',
  emails: 'sent by this installation',
  held_totals: 'computed by triggers',
  ledger_chains: 'computed from the ledger',
  link_click_progress: 'computed from events',
  link_clicks: 'computed from events',
  link_total_progress: 'computed from events',
  link_totals: 'computed from events',
  notifications: 'read by users of this installation',
  outbox: 'must be finished before the export',
  payout_transfers: 'belongs to the payment service of this installation',
  period_totals: 'computed by triggers',
  processor_events: 'belongs to a connection of this installation',
  program_imports: 'describes this installation',
  program_shards: 'stored with the program',
  refusals: 'has only the latest rejected calls',
  test_refunds: 'has only test events',
  tracking_tokens: 'secret',
  transaction_directory: 'stored with the sales',
  webhook_endpoints: 'has secrets',
  webhook_events: 'belongs to the endpoints',
};

let engine: Engine;
beforeAll(async () => {
  const [open] = Object.values(memoryKinds);
  if (!open) throw new Error('No engine');
  engine = await open();
});
afterAll(() => engine.close());

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM pragma_table_info(${table})`.execute(
    engine.read,
  );
  return rows.map(({ name }) => name).sort();
}

const stored = TRANSFER_TABLES.filter((table) => !table.isDerived);

test.each(stored)(
  '$name: each column is exported, replaced, or left out',
  async ({ name, columns, owners, omitted }) => {
    const known = [...Object.keys(columns), ...owners, ...Object.keys(omitted)];
    expect(known.sort()).toEqual(await columnsOf(name));
  },
);

test('each column of a program is exported, except its workspace, token, and webhook events', async () => {
  const known = [...PROGRAM_COLUMNS, 'workspace_id', 'api_token_masked', 'webhook_events'];
  expect(known.sort()).toEqual(await columnsOf('programs'));
});

test('each table with a program_id column is exported, or NOT_EXPORTED gives a reason', async () => {
  const { rows } = await sql<{ name: string }>`SELECT m.name FROM sqlite_master AS m
    JOIN pragma_table_info(m.name) AS c ON c.name = 'program_id' WHERE m.type = 'table'`.execute(engine.read);
  const exported = new Set<string>(TRANSFER_TABLES.map(({ name }) => name));
  const left = rows.map(({ name }) => name).filter((name) => !exported.has(name));
  expect(left.sort()).toEqual(Object.keys(NOT_EXPORTED).sort());
});

test('each column refers only to an earlier table in TRANSFER_TABLES, or to its own table', () => {
  const seen = new Set<string>();
  for (const { name, columns } of TRANSFER_TABLES) {
    seen.add(name);
    for (const columnMeaning of Object.values(columns)) {
      if (columnMeaning === 'parts') expect(seen).toContain('policy_versions');
      else if (columnMeaning === 'counted') expect(seen).toContain('links');
      else if (columnMeaning !== 'unchanged') expect(seen).toContain(columnMeaning);
    }
  }
});
