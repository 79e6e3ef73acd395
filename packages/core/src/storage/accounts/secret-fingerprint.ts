import type { Transaction } from '../database/engine/engine.ts';

/** Its only row. */
const ID = 1;

/** Keeps the fingerprint unless there is one: of several processes at once, one's. @returns the one that is kept */
export async function keepFirstFingerprint(tx: Transaction, fingerprint: string): Promise<string> {
  await tx.db
    .insertInto('secret_fingerprint')
    .values({ id: ID, fingerprint })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const kept = await tx.db
    .selectFrom('secret_fingerprint')
    .select('fingerprint')
    .where('id', '=', ID)
    .executeTakeFirstOrThrow();
  return kept.fingerprint;
}
