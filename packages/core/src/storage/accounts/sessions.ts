import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { Membership, User } from './users.ts';

/** Adds a session, and removes the ones that have run out. */
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

/** A user with the memberships of this moment. */
export interface UserWithMemberships {
  readonly user: User;
  readonly memberships: readonly Membership[];
}

/** The user of a session that is in force; null for any other id. */
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

/** Ends every session of the user. */
export async function deleteSessionsOfUser(tx: Transaction, userId: number): Promise<void> {
  await tx.db.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

/** Ends a session; one that has ended already stays so. */
export async function deleteSession(tx: Transaction, sessionId: string): Promise<void> {
  await tx.db.deleteFrom('sessions').where('id', '=', sessionId).execute();
}

function withMemberships(db: Kysely<Schema>) {
  return db
    .selectFrom('users')
    .leftJoin('members', 'members.user_id', 'users.id')
    .select(['users.id', 'users.email', 'users.name', 'members.workspace_id', 'members.role'])
    .orderBy('members.workspace_id');
}

type UserRow = Awaited<ReturnType<ReturnType<typeof withMemberships>['executeTakeFirstOrThrow']>>;

function toUser(rows: readonly UserRow[]): UserWithMemberships | null {
  const [first] = rows;
  if (!first) return null;
  return {
    user: { id: first.id, email: first.email, name: first.name },
    memberships: rows.flatMap(({ workspace_id, role }) =>
      workspace_id === null || role === null ? [] : [{ workspaceId: workspace_id, role }],
    ),
  };
}
