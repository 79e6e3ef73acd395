import { sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';

/**
 * Locks a progress row until the transaction ends. SQLite needs no lock, because it has only one writer at a
 * time.
 * @returns false when another process holds the lock and `waits` is false
 */
export async function lockProgress(
  tx: Transaction,
  table: 'breakdown_progress' | 'link_total_progress',
  key: number,
  waits: boolean,
): Promise<boolean> {
  if (tx.dialect !== 'postgres') return true;
  const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} WHERE program_id = ${key}
    FOR UPDATE ${waits ? sql`` : sql`SKIP LOCKED`}`.execute(tx.db);
  return rows.length > 0;
}
