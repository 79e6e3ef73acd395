import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { lockRow } from '../database/lock-row.ts';
import type { Schema } from '../database/schema.ts';
import type { MemberRole } from '../database/schema-accounts.ts';

/** A user who belongs to a workspace, or a person who is invited to it by email. */
export interface Member {
  readonly id: number;
  readonly workspaceId: number;
  /** Null until the invitation is accepted. */
  readonly userId: number | null;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: number;
}

/** Lists members, oldest first. */
export async function listMembers(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  page: { readonly offset: number; readonly limit: number },
): Promise<{ members: Member[]; total: number }> {
  const ids = idList(workspaceIds);
  const { total } = await db
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('workspace_id', 'in', ids)
    .executeTakeFirstOrThrow();
  const members = await selectMembers(db)
    .where('members.workspace_id', 'in', ids)
    .orderBy('members.id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { members, total };
}

/** Finds a member of any workspace. The caller must check access to that workspace. */
export async function findMember(db: Kysely<Schema>, id: number): Promise<Member | null> {
  return (await selectMembers(db).where('members.id', '=', id).executeTakeFirst()) ?? null;
}

/** @param email must be in lower case */
export async function findMemberByEmail(
  db: Kysely<Schema>,
  workspaceId: number,
  email: string,
): Promise<Member | null> {
  const row = await selectMembers(db)
    .where('members.workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('users.email', '=', email), eb('members.invited_email', '=', email)]))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Lists up to 100 users of the workspace who have one of the roles. By default, these are the roles that may
 * decide about partners.
 */
export async function listReviewers(
  db: Kysely<Schema>,
  workspaceId: number,
  roles: readonly MemberRole[] = ['owner', 'admin'],
): Promise<{ userId: number; email: string }[]> {
  return await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.id as userId', 'users.email'])
    .where('members.workspace_id', '=', workspaceId)
    .where('members.role', 'in', roles)
    .orderBy('members.id')
    .limit(100)
    .execute();
}

/** Prevents other transactions from changing the workspace's members until this transaction ends. */
export async function lockMembers(tx: Transaction, workspaceId: number): Promise<void> {
  await lockRow(tx, 'workspaces', workspaceId);
}

/**
 * Prevents other transactions from accepting the invitation or changing the member until this transaction
 * ends.
 */
export async function lockMember(tx: Transaction, id: number): Promise<void> {
  await lockRow(tx, 'members', id);
}

/** Counts the users with the role `owner`. Invited owners are not counted. */
export async function countOwners(db: Kysely<Schema>, workspaceId: number): Promise<number> {
  const { total } = await db
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .where('user_id', 'is not', null)
    .executeTakeFirstOrThrow();
  return total;
}

export async function findRole(
  db: Kysely<Schema>,
  workspaceId: number,
  userId: number,
): Promise<MemberRole | null> {
  const row = await db
    .selectFrom('members')
    .select('role')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.role ?? null;
}

/**
 * Adds an invited email address to a workspace.
 * @returns the member's id
 * @throws a unique violation when the address is already invited
 */
export async function insertMember(
  tx: Transaction,
  member: {
    readonly workspaceId: number;
    readonly role: MemberRole;
    readonly at: number;
    readonly email: string;
    readonly name: string;
  },
): Promise<number> {
  const { id } = await tx.db
    .insertInto('members')
    .values({
      workspace_id: member.workspaceId,
      user_id: null,
      invited_email: member.email,
      invited_name: member.name,
      role: member.role,
      created_at: member.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Changes a member's role, or the email address or name in an invitation.
 * @throws a unique violation when the email address is already invited
 */
export async function updateMember(
  tx: Transaction,
  memberId: number,
  change: { readonly role?: MemberRole; readonly email?: string; readonly name?: string },
): Promise<void> {
  const set = {
    ...(change.role !== undefined && { role: change.role }),
    ...(change.email !== undefined && { invited_email: change.email }),
    ...(change.name !== undefined && { invited_name: change.name }),
  };
  if (Object.keys(set).length === 0) return;
  await tx.db.updateTable('members').set(set).where('id', '=', memberId).execute();
}

/**
 * Links an invited member to the user who accepted the invitation.
 * @throws a unique violation when the user is already a member
 */
export async function linkMember(tx: Transaction, memberId: number, userId: number): Promise<void> {
  await tx.db
    .updateTable('members')
    .set({ user_id: userId, invited_email: null, invited_name: null })
    .where('id', '=', memberId)
    .where('user_id', 'is', null)
    .execute();
}

export async function deleteMember(tx: Transaction, memberId: number): Promise<void> {
  await tx.db.deleteFrom('members').where('id', '=', memberId).execute();
}

function selectMembers(db: Kysely<Schema>) {
  return db
    .selectFrom('members')
    .leftJoin('users', 'users.id', 'members.user_id')
    .select((eb) => [
      'members.id',
      'members.workspace_id as workspaceId',
      'members.user_id as userId',
      // A CHECK constraint guarantees that one of the two columns is not null.
      eb.fn.coalesce('users.email', 'members.invited_email').$castTo<string>().as('email'),
      eb.fn.coalesce('users.name', 'members.invited_name').$castTo<string>().as('name'),
      'members.role',
      'members.created_at as createdAt',
    ]);
}
