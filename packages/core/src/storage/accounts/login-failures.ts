import { type Kysely, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** A sign-in attempt and what it is counted by, all as keyed hashes. */
export interface CountedAttempt {
  /** Attempts that the next successful one deletes. */
  readonly attemptHash: string;
  readonly keyHashes: readonly string[];
}

/** The advisory lock of all counts, so that it does not collide with other advisory locks. */
const LOCK_CLASS = 0x6c6f67;

/**
 * Returns, for each limit, the time of the `limit`-th newest failure after `since`, or null when there are
 * fewer.
 */
export async function findReachedLimits<L extends { readonly keyHash: string; readonly limit: number }>(
  db: Kysely<Schema>,
  limits: readonly L[],
  since: number,
): Promise<(L & { readonly reachedAt: number | null })[]> {
  const reached: (L & { readonly reachedAt: number | null })[] = [];
  for (const limit of limits) {
    const row = await db
      .selectFrom('login_failures')
      .select('failed_at')
      .where('key_hash', '=', limit.keyHash)
      .where('failed_at', '>', since)
      .orderBy('failed_at', 'desc')
      .offset(limit.limit - 1)
      .limit(1)
      .executeTakeFirst();
    reached.push({ ...limit, reachedAt: row?.failed_at ?? null });
  }
  return reached;
}

/**
 * Blocks other processes from counting attempts until the transaction ends. There is one lock for all
 * attempts, because a transaction with several attempts would take separate locks in any order and deadlock.
 */
export async function lockLoginFailures(tx: Transaction): Promise<void> {
  // SQLite has only one writer at a time.
  if (tx.dialect === 'postgres')
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(LOCK_CLASS)}, 0)`.execute(tx.db);
}

/** Stores a failure, and deletes all failures up to `since`. */
export async function insertLoginFailure(
  tx: Transaction,
  { attemptHash, keyHashes }: CountedAttempt,
  at: number,
  since: number,
): Promise<void> {
  await tx.db.deleteFrom('login_failures').where('failed_at', '<=', since).execute();
  await tx.db
    .insertInto('login_failures')
    .values(keyHashes.map((key_hash) => ({ attempt_hash: attemptHash, key_hash, failed_at: at })))
    .execute();
}

/** Deletes the failures of an email address from one IP address or device, after a successful sign-in. */
export async function deleteLoginFailures(
  tx: Transaction,
  { attemptHash }: Pick<CountedAttempt, 'attemptHash'>,
): Promise<void> {
  await tx.db.deleteFrom('login_failures').where('attempt_hash', '=', attemptHash).execute();
}
