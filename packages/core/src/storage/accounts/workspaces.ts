import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { MemberRole } from '../database/schema-accounts.ts';

/** A workspace, as shown to one of its members. */
export interface MemberWorkspace {
  readonly id: number;
  readonly name: string;
  readonly role: MemberRole;
  readonly createdAt: number;
}

/** Adds a workspace with its first owner. @returns the workspace's id */
export async function insertWorkspace(
  tx: Transaction,
  workspace: { readonly name: string; readonly ownerId: number; readonly at: number },
): Promise<number> {
  const { id } = await tx.db
    .insertInto('workspaces')
    .values({ name: workspace.name, created_at: workspace.at })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.db
    .insertInto('members')
    .values({ workspace_id: id, user_id: workspace.ownerId, role: 'owner', created_at: workspace.at })
    .execute();
  return id;
}

export async function updateWorkspaceName(tx: Transaction, id: number, name: string): Promise<void> {
  await tx.db.updateTable('workspaces').set({ name }).where('id', '=', id).execute();
}

export async function findWorkspaceName(db: Kysely<Schema>, id: number): Promise<string> {
  const row = db.selectFrom('workspaces').select('name').where('id', '=', id);
  return (await row.executeTakeFirstOrThrow()).name;
}

/** Lists all workspaces, ordered by id. */
export function listAllWorkspaces(db: Kysely<Schema>): Promise<{ id: number; name: string }[]> {
  return db.selectFrom('workspaces').select(['id', 'name']).orderBy('id').execute();
}

/** Lists the workspaces of a user, ordered by id. */
export async function listWorkspacesOfUser(db: Kysely<Schema>, userId: number): Promise<MemberWorkspace[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
    .select(['workspaces.id', 'workspaces.name', 'members.role', 'workspaces.created_at'])
    .where('members.user_id', '=', userId)
    .orderBy('workspaces.id')
    .execute();
  return rows.map((row) => ({ id: row.id, name: row.name, role: row.role, createdAt: row.created_at }));
}
