import {
  createProcessorConnectionRequest,
  updateProcessorConnectionRequest,
  workspacePageQuery,
} from '@affkit/protocol';
import type { Actor } from '../access/actor.ts';
import { checkWorkspacePermission } from '../access/permission.ts';
import { chooseWorkspace, chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import {
  changeConnection,
  createConnection,
  disconnectProcessor,
} from '../management/processor-connections.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  findConnection,
  listConnections,
  type ProcessorConnectionRow,
} from '../storage/stripe/processor-connections.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { WEBHOOK_PATH } from './processor-webhooks.ts';
import { type Route, replyWithItem, route } from './route.ts';

const CONNECTIONS_PATH = '/api/advertiser/processor-connections';
const WRITE_PERMISSION = 'processor-connection:write';
const WRITE_ROUTE_ACCESS = { kind: 'session', permission: WRITE_PERMISSION } as const;

export const processorConnectionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: CONNECTIONS_PATH,
    access: WRITE_ROUTE_ACCESS,
    query: workspacePageQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, WRITE_PERMISSION, query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const { connections, total } = await listConnections(
        runtime.engine.read,
        workspaceIds,
        rowRangeOf(query),
      );
      return replyWithList(connections.map(toConnectionReply), query, total);
    },
  }),
  route({
    method: 'POST',
    path: CONNECTIONS_PATH,
    access: WRITE_ROUTE_ACCESS,
    body: createProcessorConnectionRequest,
    handle: async (runtime, { caller, body: { workspace_id: requestedId, ...connection } }) => {
      const workspaceId = chooseWorkspace(caller, WRITE_PERMISSION, requestedId);
      if (isRejection(workspaceId)) return workspaceId;
      const created = await createConnection(runtime, workspaceId, connection);
      return replyWithItem(created, toConnectionReply, 201);
    },
  }),
  route({
    method: 'PUT',
    path: `${CONNECTIONS_PATH}/:id`,
    access: WRITE_ROUTE_ACCESS,
    authorize: findOwnConnection,
    body: updateProcessorConnectionRequest,
    handle: async (runtime, { resource: connection, body }) =>
      replyWithItem(await changeConnection(runtime, connection, body), toConnectionReply),
  }),
  route({
    method: 'DELETE',
    path: `${CONNECTIONS_PATH}/:id`,
    access: WRITE_ROUTE_ACCESS,
    authorize: findOwnConnection,
    handle: async (runtime, { resource: connection }) =>
      replyWithItem(await disconnectProcessor(runtime, connection), toConnectionReply),
  }),
];

/**
 * Finds the connection whose id is in the path. Rejects callers who are not allowed to change
 * connections in its workspace.
 */
async function findOwnConnection(
  runtime: Runtime,
  { caller, params }: { readonly caller: Actor; readonly params: { readonly id: number } },
): Promise<ProcessorConnectionRow | Rejection> {
  const connection = await findConnection(runtime.engine.read, params.id);
  if (!connection) return new Rejection('not_found');
  return checkWorkspacePermission(caller, connection.workspace_id, WRITE_PERMISSION) ?? connection;
}

function toConnectionReply(connection: ProcessorConnectionRow) {
  return {
    id: connection.id,
    workspace_id: connection.workspace_id,
    processor: connection.processor,
    account_id: connection.account_id,
    mode: connection.mode,
    record_test_events: connection.record_test_events === 1,
    status: connectionStatusOf(connection),
    charges_enabled: connection.charges_enabled === 1,
    payouts_enabled: connection.payouts_enabled === 1,
    details_submitted: connection.details_submitted === 1,
    webhook_path: WEBHOOK_PATH.replace(':connectionId', String(connection.id)),
    previous_secret_until: isoTimeOrNull(connection.previous_until),
    connected_at: isoTimeOrNull(connection.connected_at),
    disconnected_at: isoTimeOrNull(connection.disconnected_at),
    created_at: isoTime(connection.created_at),
  };
}

function connectionStatusOf(connection: ProcessorConnectionRow): 'pending' | 'connected' | 'disconnected' {
  if (connection.disconnected_at !== null) return 'disconnected';
  return connection.connected_at === null ? 'pending' : 'connected';
}
