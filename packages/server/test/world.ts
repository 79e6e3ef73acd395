import { createAffkit, type Engine, verifyLedger } from '@affkit/core';
import { expect } from 'vitest';
import { findFaults } from '../../core/test/durability/load.ts';
import { openDatabase } from '../../core/test/durability/open-database.ts';
import { makeWorld, SECRET } from '../../core/test/support/world.ts';

/** A program with a partner, made before the first server starts, and what each server needs to serve it. */
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

/** Every acknowledged event is there, once; counters, totals, balances and the ledger say the same. */
export async function expectExact(database: string, lines: readonly string[]): Promise<void> {
  const engine = openDatabase(database);
  try {
    expect(await findFaults(engine, lines)).toEqual([]);
    const leads = await engine.read.selectFrom('lead_events').select('click_id').execute();
    const stored = new Set(leads.map((row) => `lead ${row.click_id}`));
    expect(stored.size).toBe(leads.length);
    expect(lines.filter((line) => line.startsWith('lead ') && !stored.has(line))).toEqual([]);
  } finally {
    await engine.close();
  }
}

/** After the jobs: each refunded sale is told of once, each partner's entry is sealed, and nothing is left to do. */
export async function expectNoDoubleJobs(database: string): Promise<void> {
  const engine = openDatabase(database);
  const affkit = createAffkit({ engine, secret: SECRET });
  try {
    await affkit.jobs.runOnce();
    while (await hasRows(engine, 'outbox')) await affkit.jobs.runOnce();
    const refunds = await engine.read.selectFrom('refunds').select('sale_id').distinct().execute();
    const told = await engine.read.selectFrom('notifications').select('dedupe_key').execute();
    expect(told.length).toBe(refunds.length);
    expect(new Set(told.map((row) => row.dedupe_key)).size).toBe(told.length);
    expect((await verifyLedger(affkit.runtime, null)).fault).toBe(null);
  } finally {
    await affkit.close();
  }
}

async function hasRows(engine: Engine, table: 'outbox'): Promise<boolean> {
  return (await engine.read.selectFrom(table).select('id').limit(1).execute()).length > 0;
}
