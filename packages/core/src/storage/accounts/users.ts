import { type Kysely, type Selectable, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { MemberRole, UserTable } from '../database/schema-accounts.ts';

/** The write queue (lane) for writes that do not belong to a workspace. */
export const SERVICE_LANE = 0;

export interface User {
  readonly id: number;
  readonly email: string;
  readonly name: string;
}

export interface Membership {
  readonly workspaceId: number;
  readonly role: MemberRole;
}

export interface UserPartner {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly workspaceId: number;
  readonly workspaceName: string;
}

/** A user and the hash of the user's password. */
export interface UserWithPassword extends User {
  readonly passwordHash: string;
  /** Whether only the user can know the password. */
  readonly passwordIsOwn: boolean;
  /** Whether the user must replace the password, because someone else has set it. */
  readonly passwordIsTemporary: boolean;
}

/** @param email must be in lower case */
export async function findUserByEmail(db: Kysely<Schema>, email: string): Promise<UserWithPassword | null> {
  const row = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
  return row ? toUserWithPassword(row) : null;
}

export async function findUser(db: Kysely<Schema>, id: number): Promise<UserWithPassword | null> {
  const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toUserWithPassword(row) : null;
}

function toUserWithPassword(row: Selectable<UserTable>): UserWithPassword {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    passwordHash: row.password_hash,
    passwordIsOwn: row.password_is_own === 1,
    passwordIsTemporary: row.password_is_temporary === 1,
  };
}

export async function hasUsers(db: Kysely<Schema>): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Prevents other transactions from adding a user until this transaction ends. */
export async function lockUsers(tx: Transaction): Promise<void> {
  // SQLite needs no lock, because it has only one writer at a time.
  if (tx.dialect === 'postgres') await sql`LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE`.execute(tx.db);
}

/** @returns the new user's id */
export async function insertUser(
  tx: Transaction,
  user: Omit<User, 'id'> & { readonly passwordHash: string; readonly at: number },
): Promise<number> {
  const { id } = await tx.db
    .insertInto('users')
    .values({ email: user.email, name: user.name, password_hash: user.passwordHash, created_at: user.at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Adds an invited user, unless a user with this email address exists. The password is not marked as the
 * user's own, because the inviter also knows the invitation token and may have set the password.
 * @returns the id, or null when a user with this email address exists
 */
export async function insertUserIfNew(
  tx: Transaction,
  user: Omit<User, 'id'> & { readonly passwordHash: string; readonly at: number },
): Promise<number | null> {
  const row = await tx.db
    .insertInto('users')
    .values({
      email: user.email,
      name: user.name,
      password_hash: user.passwordHash,
      password_is_own: 0,
      created_at: user.at,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Locks the user until the transaction ends.
 * @returns whether the stored password hash still equals the given hash
 */
export async function lockUserWithPasswordHash(
  tx: Transaction,
  userId: number,
  passwordHash: string,
): Promise<boolean> {
  const row = await tx.db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', userId)
    .$if(tx.dialect === 'postgres', (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  return row?.password_hash === passwordHash;
}

export async function updateUserName(tx: Transaction, userId: number, name: string): Promise<void> {
  await tx.db.updateTable('users').set({ name }).where('id', '=', userId).execute();
}

/**
 * Stores a new password.
 *
 * @param by how the request was authorized:
 * - `user`: by the current password. If the inviter set that password, the inviter may also have sent this request.
 *   Therefore, `password_is_own` does not change.
 * - `operator`: by access to the server. The operator knows the new password, so the user must replace it.
 * - `reset link`: by a link from the operator or an email. Only the user knows the new password.
 */
export async function updatePasswordHash(
  tx: Transaction,
  userId: number,
  passwordHash: string,
  by: 'user' | 'operator' | 'reset link',
): Promise<void> {
  await tx.db
    .updateTable('users')
    .set({
      password_hash: passwordHash,
      password_is_temporary: by === 'operator' ? 1 : 0,
      ...(by !== 'user' && { password_is_own: 1 }),
    })
    .where('id', '=', userId)
    .execute();
}

/**
 * Replaces the user's password if someone else may have set the current password.
 * @returns false when only the user can know the current password
 */
export async function replaceForeignPassword(
  tx: Transaction,
  userId: number,
  passwordHash: string,
): Promise<boolean> {
  const row = await tx.db
    .updateTable('users')
    .set({ password_hash: passwordHash, password_is_own: 1, password_is_temporary: 0 })
    .where('id', '=', userId)
    .where('password_is_own', '=', 0)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Lists the partner accounts of a user, at most one per workspace, ordered by id. */
export async function listPartnersOfUser(db: Kysely<Schema>, userId: number): Promise<UserPartner[]> {
  const rows = await db
    .selectFrom('partners')
    .innerJoin('workspaces', 'workspaces.id', 'partners.workspace_id')
    .select([
      'partners.id',
      'partners.name',
      'partners.email',
      'workspace_id',
      'workspaces.name as workspace',
    ])
    .where('user_id', '=', userId)
    .orderBy('partners.id')
    .execute();
  return rows.map(({ id, name, email, workspace_id, workspace }) => {
    return { id, name, email, workspaceId: workspace_id, workspaceName: workspace };
  });
}
