import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { lockRow } from '../database/lock-row.ts';
import type { Schema } from '../database/schema.ts';

/** The account of a user at an external identity provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface BoundIdentity extends Identity {
  readonly userId: number;
  /** Tokens that were issued at or before this time are rejected. */
  readonly endedAt: number | null;
}

export async function findIdentity(db: Kysely<Schema>, identity: Identity): Promise<BoundIdentity | null> {
  const row = await db
    .selectFrom('identities')
    .select(['user_id', 'ended_at'])
    .where('issuer', '=', identity.issuer)
    .where('subject', '=', identity.subject)
    .executeTakeFirst();
  if (!row) return null;
  return { ...identity, userId: row.user_id, endedAt: row.ended_at };
}

/**
 * Locks the user until the transaction ends.
 * @returns whether the user already has an identity from the issuer
 */
export async function lockUserAndCheckIdentity(
  tx: Transaction,
  userId: number,
  issuer: string,
): Promise<boolean> {
  await lockRow(tx, 'users', userId);
  const row = await tx.db
    .selectFrom('identities')
    .select('subject')
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Binds an identity to a user. @returns false when the identity is already bound */
export async function insertIdentity(
  tx: Transaction,
  identity: Identity & { readonly userId: number; readonly at: number },
): Promise<boolean> {
  const row = await tx.db
    .insertInto('identities')
    .values({
      issuer: identity.issuer,
      subject: identity.subject,
      user_id: identity.userId,
      ended_at: null,
      created_at: identity.at,
    })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** For the user's identities, invalidates all tokens that were issued at or before `at`. */
export async function invalidateIdentityTokens(tx: Transaction, userId: number, at: number): Promise<void> {
  await tx.db
    .updateTable('identities')
    .set({ ended_at: at })
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '<', at)]))
    .execute();
}
