import { sql } from 'kysely';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { usesCitus } from './citus-server.ts';
import { waitUntil } from './wait-until.ts';

const BLOCKED_HERE = `SELECT count(*) FROM pg_stat_activity
  WHERE wait_event_type = 'Lock' AND datname = current_database()`;
/** Counts blocked sessions. On a cluster, most locks are on the workers, and `citus_lock_waits` lists these. */
const BLOCKED = usesCitus
  ? `SELECT greatest((${BLOCKED_HERE}), (SELECT count(DISTINCT waiting_gpid) FROM citus_lock_waits)) AS n`
  : `SELECT (${BLOCKED_HERE}) AS n`;

/**
 * Waits until exactly `count` sessions of the engine's database are waiting for a lock, including sessions of
 * other processes.
 */
export async function waitForBlockedSessions(engine: Engine, count: number): Promise<void> {
  await waitUntil(async () => {
    const { rows } = await sql.raw<{ n: number }>(BLOCKED).execute(engine.read);
    return rows[0]?.n === count;
  });
}
