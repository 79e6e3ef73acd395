import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { Membership, User } from './users.ts';

/** Adds a session, and deletes all expired sessions. */
export async function insertSession(
  tx: Transaction,
  session: { readonly id: string; readonly userId: number; readonly expiresAt: number; readonly at: number },
): Promise<void> {
  await tx.db.deleteFrom('sessions').where('expires_at', '<=', session.at).execute();
  await tx.db
    .insertInto('sessions')
    .values({
      id: session.id,
      user_id: session.userId,
      expires_at: session.expiresAt,
      created_at: session.at,
    })
    .execute();
}

/** A user with its current memberships. */
export interface UserWithMemberships {
  readonly user: User;
  /** Whether someone else has set the password, so that the user must replace it. */
  readonly passwordIsTemporary: boolean;
  readonly memberships: readonly Membership[];
}

/** Finds the user of a session that has not expired. */
export async function findSession(
  db: Kysely<Schema>,
  sessionId: string,
  now: number,
): Promise<UserWithMemberships | null> {
  const rows = await withMemberships(db)
    .innerJoin('sessions', 'sessions.user_id', 'users.id')
    .where('sessions.id', '=', sessionId)
    .where('sessions.expires_at', '>', now)
    .execute();
  return toUser(rows);
}

export async function findUserWithMemberships(
  db: Kysely<Schema>,
  userId: number,
): Promise<UserWithMemberships | null> {
  return toUser(await withMemberships(db).where('users.id', '=', userId).execute());
}

/** @param keptId the session that stays, if any */
export async function deleteSessionsOfUser(
  tx: Transaction,
  userId: number,
  keptId: string | null = null,
): Promise<void> {
  await tx.db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(keptId !== null, (query) => query.where('id', '!=', keptId ?? ''))
    .execute();
}

/** Deletes a session. Idempotent. */
export async function deleteSession(tx: Transaction, sessionId: string): Promise<void> {
  await tx.db.deleteFrom('sessions').where('id', '=', sessionId).execute();
}

function withMemberships(db: Kysely<Schema>) {
  return db
    .selectFrom('users')
    .leftJoin('members', 'members.user_id', 'users.id')
    .select([
      'users.id',
      'users.email',
      'users.name',
      'users.password_is_temporary',
      'members.workspace_id',
      'members.role',
    ])
    .orderBy('members.workspace_id');
}

type UserRow = Awaited<ReturnType<ReturnType<typeof withMemberships>['executeTakeFirstOrThrow']>>;

function toUser(rows: readonly UserRow[]): UserWithMemberships | null {
  const [first] = rows;
  if (!first) return null;
  return {
    user: { id: first.id, email: first.email, name: first.name },
    passwordIsTemporary: first.password_is_temporary === 1,
    memberships: rows.flatMap(({ workspace_id, role }) =>
      workspace_id === null || role === null ? [] : [{ workspaceId: workspace_id, role }],
    ),
  };
}
