import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** A sign-in attempt. If it fails, the failure is counted once for each hash in `keyHashes`. */
export interface CountedAttempt {
  /** A successful sign-in deletes all failures with this hash. */
  readonly attemptHash: string;
  readonly keyHashes: readonly string[];
}

/**
 * Adds `reachedAt` to each limit. It is the time of the `limit`-th newest failure after `since`, or null if there
 * are fewer failures.
 */
export async function findLimitTimes<L extends { readonly keyHash: string; readonly limit: number }>(
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

/** Stores a failure, and deletes all failures that happened at `since` or earlier. */
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

/** After a successful sign-in, deletes the failed ones of its email address from the same IP address or device. */
export async function deleteLoginFailures(
  tx: Transaction,
  { attemptHash }: Pick<CountedAttempt, 'attemptHash'>,
): Promise<void> {
  await tx.db.deleteFrom('login_failures').where('attempt_hash', '=', attemptHash).execute();
}
