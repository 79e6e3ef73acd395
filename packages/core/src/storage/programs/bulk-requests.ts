import type { Transaction } from '../database/engine/engine.ts';

/** Identifies a bulk request. Its idempotency key is unique in the program. */
export interface BulkKey {
  readonly programId: number;
  readonly key: string;
}

/**
 * Stores the fingerprint of a request if it is the first with its key.
 * @returns the fingerprint of the first request with the key
 */
export async function claimBulkKey(
  tx: Transaction,
  { programId, key }: BulkKey,
  fingerprint: string,
  at: number,
): Promise<string> {
  await tx.db
    .insertInto('bulk_requests')
    .values({ program_id: programId, key, fingerprint, created_at: at })
    .onConflict((conflict) => conflict.columns(['program_id', 'key']).doNothing())
    .execute();
  const row = await tx.db
    .selectFrom('bulk_requests')
    .select('fingerprint')
    .where('program_id', '=', programId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return row.fingerprint;
}

/**
 * Finds the stored result for one subject of a bulk request.
 * @returns JSON, or null when the subject has not been processed yet
 */
export async function findBulkResult(
  tx: Transaction,
  { programId, key }: BulkKey,
  subjectId: number,
): Promise<string | null> {
  const row = await tx.db
    .selectFrom('bulk_results')
    .select('result')
    .where('program_id', '=', programId)
    .where('key', '=', key)
    .where('subject_id', '=', subjectId)
    .executeTakeFirst();
  return row?.result ?? null;
}

export async function insertBulkResult(
  tx: Transaction,
  { programId, key }: BulkKey,
  subjectId: number,
  result: string,
  at: number,
): Promise<void> {
  await tx.db
    .insertInto('bulk_results')
    .values({ program_id: programId, key, subject_id: subjectId, result, created_at: at })
    .execute();
}
