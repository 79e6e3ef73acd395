import {
  type createApiKeyRequest,
  type KeyScope,
  MANAGEMENT_KEY_PREFIX,
  type updateApiKeyRequest,
} from '@affkit/protocol';
import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import { checkWorkspacePermission, roleAllows } from '../access/permission.ts';
import { isoTimeOrNull } from '../domain/calendar.ts';
import { hashToken, makeToken, maskToken } from '../domain/token.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  type ApiKey,
  findApiKey,
  insertApiKey,
  lockApiKey,
  revokeApiKeysOfUser,
  updateApiKey,
} from '../storage/accounts/api-keys.ts';
import { findRole, lockMembers } from '../storage/accounts/members.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { countPrograms } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';

export type NewKey = Omit<z.output<typeof createApiKeyRequest>, 'workspace_id'>;
export type KeyChange = z.output<typeof updateApiKeyRequest>;

/** The number of characters after `affk_` that are part of a key's `prefix`. */
const PREFIX_LENGTH = 4;

export interface IssuedKey {
  readonly key: ApiKey;
  /** The full key. It is never returned again, because only its hash is stored. */
  readonly secret: string;
}

/** Creates a key. Its rights are those of its creator's current role, limited to the scopes and programs of the key. */
export async function createApiKey(
  runtime: Runtime,
  owner: { readonly workspaceId: number; readonly userId: number },
  input: NewKey,
): Promise<IssuedKey | Rejection> {
  const { workspaceId } = owner;
  const secret = makeToken(MANAGEMENT_KEY_PREFIX, runtime.randomBytes);
  const programScope = toProgramIds(input.program_scope ?? null);
  const key = {
    workspaceId,
    createdBy: owner.userId,
    name: input.name,
    prefix: secret.slice(0, MANAGEMENT_KEY_PREFIX.length + PREFIX_LENGTH),
    keyHash: hashToken(secret),
    keyMasked: maskToken(secret),
    scopes: withoutRepeats<KeyScope>(input.scopes ?? ['*']),
    programScope,
    expiresAt: input.expires_at == null ? null : Date.parse(input.expires_at),
    createdAt: runtime.now(),
  };
  return await transactOrReject(runtime.engine, workspaceId, async (tx) => {
    // If the creator is being removed, wait until the removal ends. The role is then null, and no key is
    // created. Without the wait, a key could be created that works if the creator is added back later.
    await lockMembers(tx, workspaceId);
    const role = await findRole(tx.db, workspaceId, owner.userId);
    if (role === null || !roleAllows(role, 'api-key:write')) return new Rejection('forbidden');
    const rejection = await checkProgramScope(tx, workspaceId, programScope);
    if (rejection) return rejection;
    const created = await insertApiKey(tx, key);
    await recordKey(tx, runtime, 'create', null, created);
    return { key: created, secret };
  });
}

/**
 * Changes a key if the actor may do so. A key may change only itself, and it can only reduce its own rights.
 */
export async function changeApiKey(
  runtime: Runtime,
  actor: Actor,
  keyId: number,
  input: KeyChange,
): Promise<ApiKey | Rejection> {
  const found = await findChangeable(runtime, actor, keyId);
  if (isRejection(found)) return found;
  const change = {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.scopes !== undefined && { scopes: withoutRepeats(input.scopes) }),
    ...(input.program_scope !== undefined && { programScope: toProgramIds(input.program_scope) }),
  };
  return await transactOrReject(runtime.engine, found.workspaceId, async (tx) => {
    // Compare with the stored key, because its rights may have changed after the request was
    // authenticated.
    const key = await lockApiKey(tx, found.workspaceId, keyId);
    if (!key) return new Rejection('not_found');
    if (key.revokedAt !== null) return new Rejection('conflict', 'The key is revoked. Create another key.');
    if (actor.kind === 'key' && !isNarrower(change, key)) return new Rejection('scope_escalation');
    if (change.programScope !== undefined) {
      // Check only the added programs. A key may keep a program that has been deleted.
      const added = change.programScope?.filter((id) => !key.programScope?.includes(id)) ?? null;
      const rejection = await checkProgramScope(tx, key.workspaceId, added);
      if (rejection) return rejection;
    }
    await updateApiKey(tx, key, change);
    const changed = { ...key, ...change };
    await recordKey(tx, runtime, 'update', key, changed);
    return changed;
  });
}

/** Revokes a key permanently but keeps its row. Revoking the key again has no effect. */
export async function revokeApiKey(
  runtime: Runtime,
  actor: Actor,
  keyId: number,
): Promise<ApiKey | Rejection> {
  const found = await findChangeable(runtime, actor, keyId);
  if (isRejection(found)) return found;
  return await runtime.engine.write(found.workspaceId, async (tx) => {
    const key = await lockApiKey(tx, found.workspaceId, keyId);
    if (!key) return new Rejection('not_found');
    if (key.revokedAt !== null) return key;
    const change = { revokedAt: runtime.now() };
    await updateApiKey(tx, key, change);
    const revoked = { ...key, ...change };
    await recordKey(tx, runtime, 'revoke', key, revoked);
    return revoked;
  });
}

/**
 * Revokes all keys that a user created in the workspace, as part of the transaction that removes the user.
 */
export async function revokeKeysOfUser(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  userId: number,
): Promise<void> {
  const revokedAt = runtime.now();
  for (const key of await revokeApiKeysOfUser(tx, workspaceId, userId, revokedAt)) {
    await recordKey(tx, runtime, 'revoke', key, { ...key, revokedAt });
  }
}

/**
 * Whether the change adds no scope and no program. The scope `*` means all scopes, and the program scope null
 * means all programs.
 */
function isNarrower(
  change: { readonly scopes?: readonly KeyScope[]; readonly programScope?: readonly number[] | null },
  ownKey: Pick<ApiKey, 'scopes' | 'programScope'>,
): boolean {
  const { scopes, programScope } = change;
  const hasScopes =
    scopes === undefined ||
    ownKey.scopes.includes('*') ||
    scopes.every((scope) => ownKey.scopes.includes(scope));
  const hasPrograms =
    programScope === undefined ||
    ownKey.programScope === null ||
    programScope?.every((id) => ownKey.programScope?.includes(id)) === true;
  return hasScopes && hasPrograms;
}

async function findChangeable(runtime: Runtime, actor: Actor, keyId: number): Promise<ApiKey | Rejection> {
  const key = await findApiKey(runtime.engine.read, keyId);
  if (!key) return new Rejection('not_found');
  if (actor.kind === 'session') {
    return checkWorkspacePermission(actor, key.workspaceId, 'api-key:write') ?? key;
  }
  if (key.workspaceId !== actor.workspaceId) return new Rejection('not_found');
  return key.id === actor.keyId ? key : new Rejection('scope_escalation');
}

async function checkProgramScope(
  tx: Transaction,
  workspaceId: number,
  programScope: readonly number[] | null,
): Promise<Rejection | null> {
  if (programScope === null) return null;
  const known = await countPrograms(tx.db, workspaceId, programScope);
  return known === programScope.length
    ? null
    : new Rejection('invalid_field', 'program_scope must contain only programs of the workspace');
}

function toProgramIds(ids: readonly string[] | null): readonly number[] | null {
  return ids === null ? null : withoutRepeats(ids.map(Number));
}

function withoutRepeats<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}

function recordKey(
  tx: Transaction,
  runtime: Runtime,
  verb: 'create' | 'update' | 'revoke',
  before: ApiKey | null,
  after: ApiKey,
): Promise<void> {
  const stateOf = (key: ApiKey) => ({
    name: key.name,
    key_masked: key.keyMasked,
    scopes: key.scopes,
    program_scope: key.programScope,
    expires_at: isoTimeOrNull(key.expiresAt),
    status: key.revokedAt === null ? 'active' : 'revoked',
  });
  return recordChange(tx, runtime, {
    workspaceId: after.workspaceId,
    action: `api_key.${verb}`,
    subjectId: after.id,
    before: before && stateOf(before),
    after: stateOf(after),
  });
}
