import { createApiKeyRequest, updateApiKeyRequest } from '@affkit/protocol';
import type { Actor } from '../access/actor.ts';
import { chooseWorkspace, chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { changeApiKey, createApiKey, revokeApiKey } from '../management/api-keys.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { type ApiKey, findApiKey, listApiKeys } from '../storage/accounts/api-keys.ts';
import { readRowId, readWorkspaceId } from './fields.ts';
import { listAnswer, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { type Answer, itemAnswer, type Route, route } from './route.ts';

const PATH = '/api/advertiser/api-keys';
const READER = { kind: 'credential', permission: 'api-key:read' } as const;
const WRITER = { kind: 'credential', permission: 'api-key:write' } as const;

export const apiKeyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: READER,
    handle: (runtime, { caller, request }) => list(runtime, caller, request.query),
  }),
  route({
    method: 'POST',
    path: PATH,
    access: { kind: 'session', permission: 'api-key:write' },
    handle: async (runtime, { caller, body }) => {
      const input = parseBody(createApiKeyRequest, body);
      if (isRejection(input)) return input;
      const { workspace_id: named, ...key } = input;
      const workspaceId = chooseWorkspace(caller, 'api-key:write', named);
      if (isRejection(workspaceId)) return workspaceId;
      const issued = await createApiKey(runtime, { workspaceId, userId: caller.user.id }, key);
      if (isRejection(issued)) return issued;
      const data = { ...apiKeyRow(issued.key), key: issued.secret };
      return { status: 201, body: { success: true, data } };
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:id`,
    access: WRITER,
    nullable: ['program_scope'],
    handle: async (runtime, { caller, params, body }) => {
      const keyId = readRowId(params['id']);
      if (isRejection(keyId)) return keyId;
      const input = parseBody(updateApiKeyRequest, body);
      return isRejection(input)
        ? input
        : itemAnswer(await changeApiKey(runtime, caller, keyId, input), apiKeyRow);
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:id`,
    access: WRITER,
    handle: async (runtime, { caller, params }) => {
      const keyId = readRowId(params['id']);
      return isRejection(keyId) ? keyId : itemAnswer(await revokeApiKey(runtime, caller, keyId), apiKeyRow);
    },
  }),
];

/** A key's list is itself. */
async function list(runtime: Runtime, actor: Actor, query: URLSearchParams): Promise<Answer | Rejection> {
  const page = readPage(query);
  if (isRejection(page)) return page;
  const named = readWorkspaceId(query);
  if (isRejection(named)) return named;
  if (actor.kind === 'key') {
    if (named !== undefined && named !== actor.workspaceId) return new Rejection('forbidden');
    const key = await findApiKey(runtime.engine.read, actor.keyId);
    const rows = key && page.offset === 0 ? [apiKeyRow(key)] : [];
    return listAnswer(rows, page, key ? 1 : 0);
  }
  const workspaceIds = chooseWorkspaces(actor, 'api-key:read', named);
  if (isRejection(workspaceIds)) return workspaceIds;
  const { keys, total } = await listApiKeys(runtime.engine.read, workspaceIds, page);
  return listAnswer(keys.map(apiKeyRow), page, total);
}

function apiKeyRow(key: ApiKey) {
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
