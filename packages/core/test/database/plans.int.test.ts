import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { makeWorld, type World } from '../support/world.ts';

// Each test needs a new database. The tests check the plans that Postgres uses before its first automatic ANALYZE.
// Until then, for about a minute, Postgres plans as if the tables were nearly empty.
let url: string;
let world: World;

beforeEach(async () => {
  url = await createMigratedDatabase(inject('postgresUrl'));
  world = await makeWorld(postgresEngine({ connectionString: url }));
});

afterEach(async () => {
  await dropDatabase(url);
});

/**
 * Returns the number of rows that sequential scans have read, by table. Closes the connections first, because
 * Postgres reports their statistics when they end.
 */
async function countScannedRows(): Promise<Record<string, number>> {
  await world.affkit.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const read = async () =>
      // Clicks are stored in partitions, whose names start with the name of their table.
      (
        await client.query(`SELECT CASE WHEN relname LIKE 'click_events%' THEN 'click_events' ELSE relname END AS relname,
          SUM(n_tup_ins)::int AS n_tup_ins, SUM(seq_tup_read)::int AS seq_tup_read
          FROM pg_stat_user_tables GROUP BY 1`)
      ).rows;
    await waitUntil(async () =>
      (await read()).some(
        ({ relname, n_tup_ins }) => relname === 'click_events' && n_tup_ins >= VISITORS * 2,
      ),
    );
    return Object.fromEntries((await read()).map(({ relname, seq_tup_read }) => [relname, seq_tup_read]));
  } finally {
    await client.end();
  }
}

const VISITORS = 60;

test('writes never scan a growing table sequentially, even when the table is new', async () => {
  for (let index = 0; index < VISITORS; index++) {
    const click_id = await world.click('anna', { additional_data: { idempotency_key: `first-${index}` } });
    await world.click('ben', { existing_click_id: click_id });
    const customer_key = `user-${index}`;
    const replies = [
      await world.track('lead', { click_id, customer_key }),
      await world.track('sale', { transaction_id: `t${index}`, amount_cents: 1999, customer_key }),
      await world.track('refund', { transaction_id: `t${index}` }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  }
  const scanned = await countScannedRows();
  const growing = [
    'click_events',
    'click_keys',
    'customers',
    'lead_events',
    'sales',
    'refunds',
    'commissions',
    'transaction_directory',
    'processor_refs',
    'processor_ties',
    'ledger_entries',
    'outbox',
  ];
  expect(Object.keys(scanned)).toEqual(expect.arrayContaining(growing));
  expect(growing.filter((table) => scanned[table] !== 0).map((table) => [table, scanned[table]])).toEqual([]);
});
