import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** Adds a sign-in code, and deletes all expired ones. */
export async function insertSignInCode(
  tx: Transaction,
  code: {
    readonly codeHash: string;
    readonly userId: number;
    readonly expiresAt: number;
    readonly at: number;
  },
): Promise<void> {
  await tx.db.deleteFrom('sign_in_codes').where('expires_at', '<=', code.at).execute();
  await tx.db
    .insertInto('sign_in_codes')
    .values({
      code_hash: code.codeHash,
      user_id: code.userId,
      expires_at: code.expiresAt,
      created_at: code.at,
    })
    .execute();
}

/** Whether a code exists and has not expired. */
export async function hasSignInCode(db: Kysely<Schema>, codeHash: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('sign_in_codes')
    .select('user_id')
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Deletes a code that has not expired. Only one of several concurrent callers gets its user; the others get
 * null.
 * @returns the id of the user
 */
export async function claimSignInCode(
  tx: Transaction,
  codeHash: string,
  now: number,
): Promise<number | null> {
  const row = await tx.db
    .deleteFrom('sign_in_codes')
    .where('code_hash', '=', codeHash)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id ?? null;
}

export async function deleteSignInCodesOfUser(tx: Transaction, userId: number): Promise<void> {
  await tx.db.deleteFrom('sign_in_codes').where('user_id', '=', userId).execute();
}
