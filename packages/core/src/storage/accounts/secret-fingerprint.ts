import type { Transaction } from '../database/engine/engine.ts';

/** The id of the table's only row. */
const FINGERPRINT_ROW_ID = 1;

/**
 * Stores the fingerprint if none is stored yet. If several processes do this concurrently, only one succeeds.
 * @returns the stored fingerprint
 */
export async function storeFingerprintIfNew(tx: Transaction, fingerprint: string): Promise<string> {
  await tx.db
    .insertInto('secret_fingerprint')
    .values({ id: FINGERPRINT_ROW_ID, fingerprint })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const storedFingerprint = await tx.db
    .selectFrom('secret_fingerprint')
    .select('fingerprint')
    .where('id', '=', FINGERPRINT_ROW_ID)
    .executeTakeFirstOrThrow();
  return storedFingerprint.fingerprint;
}
