import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** A table could not be locked in time, because other sessions use it. Nothing was changed. */
export class TableLocked extends Error {
  override readonly name = 'TableLocked';

  /** @param work a description of the work that needs the lock; the message starts with it */
  constructor(work: string, cause: unknown) {
    super(`${work} cannot lock a table that other sessions use`, { cause });
  }
}

/**
 * Limits how long a statement of the current transaction waits for a lock. While the statement waits for a
 * long-running query, every later query of the same table waits too.
 */
export async function setLockTimeout<Tables>(db: Kysely<Tables>, timeoutMs: number): Promise<void> {
  await sql`SET LOCAL lock_timeout = ${sql.lit(timeoutMs)}`.execute(db);
}

/** Whether Postgres cancelled a statement that waited too long for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

/**
 * Lists the sessions that use tables of the current schema in a transaction older than `minAgeMs`, oldest first.
 * Postgres hides the age and the name of sessions of other roles. These sessions are listed regardless of their age.
 */
export async function listLockHolders(db: Kysely<Schema>, minAgeMs: number): Promise<string[]> {
  const { rows } = await sql<{ pid: number; name: string | null }>`SELECT a.pid, a.application_name AS name
    FROM pg_stat_activity AS a
    WHERE a.pid <> pg_backend_pid() AND a.datname = current_database()
      AND COALESCE(a.xact_start < clock_timestamp() - ${minAgeMs} * INTERVAL '1 millisecond', TRUE)
      AND EXISTS (SELECT 1 FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
        WHERE l.pid = a.pid AND l.granted AND c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace)
    ORDER BY a.xact_start LIMIT 5`.execute(db);
  return rows.map(({ pid, name }) => (name ? `${pid} (${name})` : String(pid)));
}
