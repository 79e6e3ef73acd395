import { expect } from 'vitest';
import { findFaults } from '../../core/test/durability/load.ts';
import { openDatabase } from '../../core/test/durability/open-database.ts';
import { makeWorld, SECRET } from '../../core/test/world.ts';

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
