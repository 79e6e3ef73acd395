import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database/schema.ts';

/** Counting stops at this number of rows, so that a long backlog does not make it slow. */
const MAX_COUNTED = 10_000;

/** Work that waits for a job, counted up to 10,000. */
export interface WaitingWork {
  readonly count: number;
  /** The time since which the oldest work has waited. Null when nothing waits. */
  readonly oldestAt: number | null;
}

/**
 * Counts the work that waits for jobs. Each query except `unclearPayouts` reads a limited part of an index of waiting
 * rows.
 */
export async function readJobBacklog(db: Kysely<Schema>) {
  return {
    outbox: await readOutbox(db),
    webhooks: await readWaiting(
      db,
      sql`SELECT created_at FROM webhook_deliveries WHERE run_at IS NOT NULL ORDER BY expires_at`,
    ),
    emails: await readWaiting(
      db,
      sql`SELECT created_at FROM emails WHERE status = 'queued' ORDER BY expires_at, id`,
    ),
    payouts: await readWaiting(
      db,
      sql`SELECT run_at AS created_at FROM payout_transfers WHERE run_at IS NOT NULL ORDER BY run_at`,
    ),
    // This query has no index, because there are far fewer payouts than events.
    unclearPayouts: await readWaiting(
      db,
      sql`SELECT sent_at AS created_at FROM payout_transfers WHERE state = 'unclear'`,
    ),
    ledger: await readWaiting(
      db,
      sql`SELECT created_at FROM ledger_entries WHERE chain_position IS NULL ORDER BY program_id, id`,
    ),
  };
}

async function readOutbox(db: Kysely<Schema>): Promise<WaitingWork & { readonly failing: number }> {
  const { rows } = await sql<{ count: number; failing: number | null; oldest_at: number | null }>`
    SELECT count(*) AS count, CAST(sum(CASE WHEN attempts > 0 THEN 1 ELSE 0 END) AS BIGINT) AS failing,
      min(created_at) AS oldest_at
    FROM (SELECT attempts, created_at FROM outbox ORDER BY run_at LIMIT ${sql.lit(MAX_COUNTED)}) AS waiting`.execute(
    db,
  );
  const [row] = rows;
  return { count: row?.count ?? 0, failing: row?.failing ?? 0, oldestAt: row?.oldest_at ?? null };
}

async function readWaiting(db: Kysely<Schema>, waiting: ReturnType<typeof sql>): Promise<WaitingWork> {
  const { rows } = await sql<{ count: number; oldest_at: number | null }>`
    SELECT count(*) AS count, min(created_at) AS oldest_at
    FROM (${waiting} LIMIT ${sql.lit(MAX_COUNTED)}) AS waiting`.execute(db);
  const [row] = rows;
  return { count: row?.count ?? 0, oldestAt: row?.oldest_at ?? null };
}
