import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** Stores a code and deletes all expired codes. */
export async function insertOneTimeCode(
  tx: Transaction,
  code: {
    readonly codeHash: string;
    readonly userId: number;
    readonly expiresAt: number;
    readonly at: number;
  },
): Promise<void> {
  await tx.db.deleteFrom('one_time_codes').where('expires_at', '<=', code.at).execute();
  await tx.db
    .insertInto('one_time_codes')
    .values({
      code_hash: code.codeHash,
      user_id: code.userId,
      expires_at: code.expiresAt,
      created_at: code.at,
    })
    .execute();
}

/** Returns the id of the user to whom a code belongs. Null if the code does not exist or has expired. */
export async function findOneTimeCode(
  db: Kysely<Schema>,
  codeHash: string,
  now: number,
): Promise<number | null> {
  const row = await db
    .selectFrom('one_time_codes')
    .select('user_id')
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/**
 * Deletes a code that has not expired and returns the id of its user. If several requests use the code at the
 * same time, only one gets the id; the others get null.
 */
export async function claimOneTimeCode(
  tx: Transaction,
  codeHash: string,
  now: number,
): Promise<number | null> {
  const row = await tx.db
    .deleteFrom('one_time_codes')
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id ?? null;
}

export async function deleteOneTimeCodesOfUser(tx: Transaction, userId: number): Promise<void> {
  await tx.db.deleteFrom('one_time_codes').where('user_id', '=', userId).execute();
}
