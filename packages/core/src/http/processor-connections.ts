import { createProcessorConnectionRequest, updateProcessorConnectionRequest } from '@affkit/protocol';
import type { Actor } from '../access/actor.ts';
import { isAllowed } from '../access/permission.ts';
import { chooseWorkspace } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { changeConnection, createConnection, disconnect } from '../management/processor-connections.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  findConnection,
  listConnections,
  type ProcessorConnection,
} from '../storage/stripe/processor-connections.ts';
import { readRowId } from './fields.ts';
import { listAnswer } from './pagination.ts';
import { parseBody } from './parse.ts';
import { WEBHOOK_PATH } from './processor-webhooks.ts';
import { itemAnswer, type Route, route } from './route.ts';
import { readWorkspacePage } from './workspace-page.ts';

const PATH = '/api/advertiser/processor-connections';
const PERMISSION = 'processor-connection:write';
const WRITER = { kind: 'session', permission: PERMISSION } as const;

export const processorConnectionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: WRITER,
    handle: async (runtime, { caller, request }) => {
      const asked = readWorkspacePage(caller, PERMISSION, request.query);
      if (isRejection(asked)) return asked;
      const { page, workspaceIds } = asked;
      const { connections, total } = await listConnections(runtime.engine.read, workspaceIds, page);
      return listAnswer(connections.map(connectionRow), page, total);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    access: WRITER,
    handle: async (runtime, { caller, body }) => {
      const input = parseBody(createProcessorConnectionRequest, body);
      if (isRejection(input)) return input;
      const { workspace_id: named, ...connection } = input;
      const workspaceId = chooseWorkspace(caller, PERMISSION, named);
      if (isRejection(workspaceId)) return workspaceId;
      const created = await createConnection(runtime, workspaceId, connection);
      return { status: 201, body: { success: true, data: connectionRow(created) } };
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:id`,
    access: WRITER,
    handle: async (runtime, { caller, params, body }) => {
      const found = await findOwn(runtime, caller, params['id']);
      if (isRejection(found)) return found;
      const input = parseBody(updateProcessorConnectionRequest, body);
      return isRejection(input)
        ? input
        : itemAnswer(await changeConnection(runtime, found, input), connectionRow);
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:id`,
    access: WRITER,
    handle: async (runtime, { caller, params }) => {
      const found = await findOwn(runtime, caller, params['id']);
      return isRejection(found) ? found : itemAnswer(await disconnect(runtime, found), connectionRow);
    },
  }),
];

async function findOwn(
  runtime: Runtime,
  actor: Actor,
  text: string | undefined,
): Promise<ProcessorConnection | Rejection> {
  const id = readRowId(text);
  if (isRejection(id)) return id;
  const connection = await findConnection(runtime.engine.read, id);
  if (!connection) return new Rejection('not_found');
  return isAllowed(actor, connection.workspace_id, PERMISSION) ? connection : new Rejection('forbidden');
}

function connectionRow(connection: ProcessorConnection) {
  return {
    id: connection.id,
    workspace_id: connection.workspace_id,
    processor: connection.processor,
    account_id: connection.account_id,
    status: statusOf(connection),
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

function statusOf(connection: ProcessorConnection): 'pending' | 'connected' | 'disconnected' {
  if (connection.disconnected_at !== null) return 'disconnected';
  return connection.connected_at === null ? 'pending' : 'connected';
}
