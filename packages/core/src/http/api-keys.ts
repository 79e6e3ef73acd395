import { createApiKeyRequest, updateApiKeyRequest, workspacePageQuery } from '@affkit/protocol';
import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import { chooseWorkspace, chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { changeApiKey, createApiKey, revokeApiKey } from '../management/api-keys.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { type ApiKey, findApiKey, listApiKeys } from '../storage/accounts/api-keys.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Reply, type Route, replyWithItem, route } from './route.ts';

const API_KEYS_PATH = '/api/advertiser/api-keys';
const READ_ROUTE_ACCESS = { kind: 'credential', permission: 'api-key:read' } as const;
const WRITE_ROUTE_ACCESS = { kind: 'credential', permission: 'api-key:write' } as const;

export const apiKeyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: API_KEYS_PATH,
    access: READ_ROUTE_ACCESS,
    query: workspacePageQuery,
    handle: (runtime, { caller, query }) => replyWithKeys(runtime, caller, query),
  }),
  route({
    method: 'POST',
    path: API_KEYS_PATH,
    access: { kind: 'session', permission: 'api-key:write' },
    body: createApiKeyRequest,
    handle: async (runtime, { caller, body: { workspace_id: requestedId, ...key } }) => {
      const workspaceId = chooseWorkspace(caller, 'api-key:write', requestedId);
      if (isRejection(workspaceId)) return workspaceId;
      const issued = await createApiKey(runtime, { workspaceId, userId: caller.user.id }, key);
      if (isRejection(issued)) return issued;
      const data = { ...toApiKeyReply(issued.key), key: issued.secret };
      return { status: 201, body: { success: true, data } };
    },
  }),
  route({
    method: 'PUT',
    path: `${API_KEYS_PATH}/:id`,
    access: WRITE_ROUTE_ACCESS,
    body: updateApiKeyRequest,
    handle: async (runtime, { caller, params, body }) =>
      replyWithItem(await changeApiKey(runtime, caller, params.id, body), toApiKeyReply),
  }),
  route({
    method: 'DELETE',
    path: `${API_KEYS_PATH}/:id`,
    access: WRITE_ROUTE_ACCESS,
    handle: async (runtime, { caller, params }) =>
      replyWithItem(await revokeApiKey(runtime, caller, params.id), toApiKeyReply),
  }),
];

/** Replies with the keys that the caller may see. A caller that authenticates with a key sees only that key. */
async function replyWithKeys(
  runtime: Runtime,
  actor: Actor,
  query: z.output<typeof workspacePageQuery>,
): Promise<Reply | Rejection> {
  const { workspace_id: requestedId } = query;
  const range = rowRangeOf(query);
  if (actor.kind === 'key') {
    if (requestedId !== undefined && requestedId !== actor.workspaceId) {
      return new Rejection('workspace_not_found');
    }
    const key = await findApiKey(runtime.engine.read, actor.keyId);
    const rows = key && range.offset === 0 ? [toApiKeyReply(key)] : [];
    return replyWithList(rows, query, key ? 1 : 0);
  }
  const workspaceIds = chooseWorkspaces(actor, 'api-key:read', requestedId);
  if (isRejection(workspaceIds)) return workspaceIds;
  const { keys, total } = await listApiKeys(runtime.engine.read, workspaceIds, range);
  return replyWithList(keys.map(toApiKeyReply), query, total);
}

function toApiKeyReply(key: ApiKey) {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    program_scope: key.programScope?.map(String) ?? null,
    expires_at: isoTimeOrNull(key.expiresAt),
    status: key.revokedAt === null ? 'active' : 'revoked',
    key_masked: key.keyMasked,
    last_used_at: isoTimeOrNull(key.lastUsedAt),
    created_at: isoTime(key.createdAt),
  };
}
