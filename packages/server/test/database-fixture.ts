import { createAffkit, type Engine, verifyLedger } from '@affkit/core';
import { expect } from 'vitest';
import { findInconsistencies } from '../../core/test/durability/load.ts';
import { openDatabase } from '../../core/test/durability/open-database.ts';
import { makeWorld, SECRET } from '../../core/test/support/world.ts';

/**
 * Creates a program with a partner. Call it before any server starts.
 * @param database a Postgres URL or the path of a SQLite file
 * @returns the data for the load, and the environment of the servers
 */
export async function prepareDatabase(database: string) {
  const world = await makeWorld(openDatabase(database));
  await world.affkit.close();
  const url = database.startsWith('postgres:') ? database : `sqlite:${database}`;
  return {
    database,
    token: world.token,
    code: world.anna.code,
    env: { DATABASE_URL: url, AFFKIT_SECRET: SECRET, PUBLIC_RATE_LIMIT: '0', LOG_LEVEL: 'warn' },
  };
}

/**
 * Expects that each acknowledged event is stored exactly once, and that counters, totals, balances and the
 * ledger match the events.
 */
export async function expectConsistent(database: string, lines: readonly string[]): Promise<void> {
  const engine = openDatabase(database);
  try {
    expect(await findInconsistencies(engine, lines)).toEqual([]);
    const leads = await engine.read.selectFrom('lead_events').select('click_id').execute();
    const stored = new Set(leads.map((row) => `lead ${row.click_id}`));
    expect(stored.size).toBe(leads.length);
    expect(lines.filter((line) => line.startsWith('lead ') && !stored.has(line))).toEqual([]);
  } finally {
    await engine.close();
  }
}

/** Runs all pending jobs, and then expects one notification per refunded sale, and a valid, sealed ledger. */
export async function expectJobsRanOnce(database: string): Promise<void> {
  const engine = openDatabase(database);
  const affkit = createAffkit({ engine, secret: SECRET });
  try {
    await affkit.jobs.runOnce();
    while (await hasRows(engine, 'outbox')) await affkit.jobs.runOnce();
    const refunds = await engine.read.selectFrom('refunds').select('sale_id').distinct().execute();
    const notifications = await engine.read.selectFrom('notifications').select('dedupe_key').execute();
    expect(notifications.length).toBe(refunds.length);
    expect(new Set(notifications.map((row) => row.dedupe_key)).size).toBe(notifications.length);
    expect((await verifyLedger(affkit.runtime, null)).fault).toBe(null);
  } finally {
    await affkit.close();
  }
}

async function hasRows(engine: Engine, table: 'outbox'): Promise<boolean> {
  return (await engine.read.selectFrom(table).select('id').limit(1).execute()).length > 0;
}
