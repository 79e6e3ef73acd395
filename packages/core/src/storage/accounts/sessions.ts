import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { SessionTable } from '../database/schema-accounts.ts';
import type { Membership, User } from './users.ts';

/** When a session ends. Times are in epoch milliseconds. */
export interface SessionTimes {
  readonly expiresAt: number;
  /**
   * Until this time, each request extends `expiresAt`. Null if `expiresAt` is fixed. Only browser sessions
   * can be extended.
   */
  readonly renewableUntil: number | null;
}

/** A session, as shown to its user. */
export interface Session extends SessionTimes {
  /** The id is not secret, because it is not part of the token. */
  readonly id: number;
  /** The browser and operating system that were used to sign in, or null if unknown. */
  readonly device: string | null;
  readonly lastUsedAt: number;
  readonly createdAt: number;
}

/** Stores a session and deletes all expired sessions. */
export async function insertSession(
  tx: Transaction,
  session: SessionTimes & {
    readonly tokenId: string;
    readonly userId: number;
    readonly device: string | null;
    readonly at: number;
  },
): Promise<void> {
  await tx.db.deleteFrom('sessions').where('expires_at', '<=', session.at).execute();
  await tx.db
    .insertInto('sessions')
    .values({
      token_id: session.tokenId,
      user_id: session.userId,
      device: session.device,
      expires_at: session.expiresAt,
      renewable_until: session.renewableUntil,
      last_used_at: session.at,
      created_at: session.at,
    })
    .execute();
}

export interface UserWithMemberships {
  readonly user: User;
  /** Whether the user must replace the password, because someone else has set it. */
  readonly passwordIsTemporary: boolean;
  readonly memberships: readonly Membership[];
}

/**
 * Finds a session and its user. Expired sessions are not found.
 * @param tokenId the id in the session's token
 */
export async function findSession(
  db: Kysely<Schema>,
  tokenId: string,
  now: number,
): Promise<(UserWithMemberships & { readonly session: Session }) | null> {
  const rows = await withMemberships(db)
    .innerJoin('sessions', 'sessions.user_id', 'users.id')
    .select([
      'sessions.id as session_id',
      'sessions.device',
      'sessions.expires_at',
      'sessions.renewable_until',
      'sessions.last_used_at',
      'sessions.created_at',
    ])
    .where('sessions.token_id', '=', tokenId)
    .where('sessions.expires_at', '>', now)
    .execute();
  const user = toUser(rows);
  const [first] = rows;
  return user && first ? { ...user, session: toSession({ ...first, id: first.session_id }) } : null;
}

/** Stores when a session was last used and when it expires. Does nothing if the session has been deleted. */
export async function updateSessionUse(
  tx: Transaction,
  { id, lastUsedAt, expiresAt }: Pick<Session, 'id' | 'lastUsedAt' | 'expiresAt'>,
): Promise<void> {
  await tx.db
    .updateTable('sessions')
    .set({ last_used_at: lastUsedAt, expires_at: expiresAt })
    .where('id', '=', id)
    .execute();
}

/** Lists a page of the user's sessions that have not expired, newest first. */
export async function listSessions(
  db: Kysely<Schema>,
  { userId, now }: { readonly userId: number; readonly now: number },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly sessions: Session[]; readonly total: number }> {
  const query = db.selectFrom('sessions').where('user_id', '=', userId).where('expires_at', '>', now);
  const rows = await query.selectAll().orderBy('id', 'desc').offset(offset).limit(limit).execute();
  const { total } = await query
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { sessions: rows.map(toSession), total: Number(total) };
}

export async function findUserWithMemberships(
  db: Kysely<Schema>,
  userId: number,
): Promise<UserWithMemberships | null> {
  return toUser(await withMemberships(db).where('users.id', '=', userId).execute());
}

/** @param keptId the session to keep, if any */
export async function deleteSessionsOfUser(
  tx: Transaction,
  userId: number,
  keptId: number | null = null,
): Promise<void> {
  await tx.db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(keptId !== null, (query) => query.where('id', '!=', keptId ?? 0))
    .execute();
}

export async function hasSession(tx: Transaction, userId: number, sessionId: number): Promise<boolean> {
  const row = await tx.db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a session of the user. @returns false when the user has no such session */
export async function deleteSession(tx: Transaction, userId: number, sessionId: number): Promise<boolean> {
  const row = await tx.db
    .deleteFrom('sessions')
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

function toSession(
  row: Pick<
    Selectable<SessionTable>,
    'id' | 'device' | 'expires_at' | 'renewable_until' | 'last_used_at' | 'created_at'
  >,
): Session {
  return {
    id: row.id,
    device: row.device,
    expiresAt: row.expires_at,
    renewableUntil: row.renewable_until,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
  };
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
