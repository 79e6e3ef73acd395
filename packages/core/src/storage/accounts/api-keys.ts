import type { KeyScope } from '@affkit/protocol';
import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { MemberRole } from '../database/schema-accounts.ts';

/**
 * A stored management key. It contains a hash and a masked form of the secret, but never the secret itself.
 */
export interface ApiKey {
  readonly id: number;
  readonly workspaceId: number;
  readonly name: string;
  readonly prefix: string;
  readonly keyMasked: string;
  readonly scopes: readonly KeyScope[];
  /** The ids of the programs that the key may access, or null for every program of the workspace. */
  readonly programScope: readonly number[] | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}

export type NewApiKey = Pick<
  ApiKey,
  'workspaceId' | 'name' | 'prefix' | 'keyMasked' | 'scopes' | 'programScope' | 'expiresAt' | 'createdAt'
> & { readonly keyHash: string; readonly createdBy: number };

export async function insertApiKey(tx: Transaction, key: NewApiKey): Promise<ApiKey> {
  const row = await tx.db
    .insertInto('api_keys')
    .values({
      workspace_id: key.workspaceId,
      created_by: key.createdBy,
      name: key.name,
      prefix: key.prefix,
      key_hash: key.keyHash,
      key_masked: key.keyMasked,
      scopes: JSON.stringify(key.scopes),
      program_scope: writeProgramScope(key.programScope),
      expires_at: key.expiresAt,
      revoked_at: null,
      last_used_at: null,
      created_at: key.createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toApiKey(row);
}

/**
 * Finds a key by the SHA-256 hash of its secret, in hex. Also finds expired and revoked keys. `creatorRole` is
 * the current role of the user who created the key, or null when this user has left the workspace.
 */
export async function findApiKeyByHash(
  db: Kysely<Schema>,
  keyHash: string,
): Promise<(ApiKey & { readonly creatorRole: MemberRole | null }) | null> {
  const row = await db
    .selectFrom('api_keys')
    .leftJoin('members', (join) =>
      join
        .onRef('members.workspace_id', '=', 'api_keys.workspace_id')
        .onRef('members.user_id', '=', 'api_keys.created_by'),
    )
    .selectAll('api_keys')
    .select('members.role')
    .where('key_hash', '=', keyHash)
    .executeTakeFirst();
  return row ? { ...toApiKey(row), creatorRole: row.role } : null;
}

/** Finds a key of any workspace. The caller must check access to that workspace. */
export async function findApiKey(db: Kysely<Schema>, id: number): Promise<ApiKey | null> {
  const row = await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toApiKey(row) : null;
}

/** Finds a key and locks its row until the transaction ends. */
export async function lockApiKey(tx: Transaction, workspaceId: number, id: number): Promise<ApiKey | null> {
  const row = await tx.db
    .selectFrom('api_keys')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  return row ? toApiKey(row) : null;
}

/** Lists keys, newest first. Revoked keys are included. */
export async function listApiKeys(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  range: { readonly offset: number; readonly limit: number },
): Promise<{ keys: ApiKey[]; total: number }> {
  if (workspaceIds.length === 0) return { keys: [], total: 0 };
  const all = db.selectFrom('api_keys').where('workspace_id', 'in', workspaceIds);
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all.selectAll().orderBy('id', 'desc').limit(range.limit).offset(range.offset).execute();
  return { keys: rows.map(toApiKey), total };
}

/** Lists the keys with a program scope, including keys that are expired or revoked. */
export async function listLimitedKeys(
  db: Kysely<Schema>,
  workspaceId: number,
): Promise<{ readonly id: number; readonly programScope: readonly number[] }[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'program_scope'])
    .where('workspace_id', '=', workspaceId)
    .where('program_scope', 'is not', null)
    .execute();
  return rows.flatMap(({ id, program_scope }) =>
    program_scope === null ? [] : [{ id, programScope: JSON.parse(program_scope) as number[] }],
  );
}

export async function updateApiKey(
  tx: Transaction,
  key: Pick<ApiKey, 'workspaceId' | 'id'>,
  change: Partial<Pick<ApiKey, 'name' | 'scopes' | 'programScope' | 'revokedAt'>>,
): Promise<void> {
  const set = {
    ...(change.name !== undefined && { name: change.name }),
    ...(change.scopes !== undefined && { scopes: JSON.stringify(change.scopes) }),
    ...(change.programScope !== undefined && { program_scope: writeProgramScope(change.programScope) }),
    ...(change.revokedAt !== undefined && { revoked_at: change.revokedAt }),
  };
  if (Object.keys(set).length === 0) return;
  await tx.db
    .updateTable('api_keys')
    .set(set)
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.id)
    .execute();
}

/** Revokes all keys that a user created in the workspace. @returns the keys as they were before the change */
export async function revokeApiKeysOfUser(
  tx: Transaction,
  workspaceId: number,
  userId: number,
  at: number,
): Promise<ApiKey[]> {
  const rows = await tx.db
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('created_by', '=', userId)
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute();
  return rows.map((row) => ({ ...toApiKey(row), revokedAt: null }));
}

/** Records when the key was last used. A time that is earlier than the stored time has no effect. */
export async function touchApiKey(
  tx: Transaction,
  key: Pick<ApiKey, 'workspaceId' | 'id'>,
  at: number,
): Promise<void> {
  await tx.db
    .updateTable('api_keys')
    .set({ last_used_at: at })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
    .execute();
}

function toApiKey(row: Selectable<Schema['api_keys']>): ApiKey {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    prefix: row.prefix,
    keyMasked: row.key_masked,
    // The cast is safe because only this file writes these columns.
    scopes: JSON.parse(row.scopes) as KeyScope[],
    programScope: row.program_scope === null ? null : (JSON.parse(row.program_scope) as number[]),
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
  };
}

function writeProgramScope(programIds: readonly number[] | null): string | null {
  return programIds === null ? null : JSON.stringify(programIds);
}
