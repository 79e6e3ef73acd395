import { sql } from 'kysely';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { waitUntil } from './wait-until.ts';

/**
 * Waits until exactly `count` sessions of the engine's database are waiting for a lock, including other
 * processes.
 */
export async function waitForBlockedSessions(engine: Engine, count: number): Promise<void> {
  await waitUntil(async () => {
    const { rows } = await sql<{ n: number }>`
      SELECT count(*) AS n FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`.execute(engine.read);
    return rows[0]?.n === count;
  });
}
