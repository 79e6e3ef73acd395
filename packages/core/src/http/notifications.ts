import type { Actor } from '../access/actor.ts';
import { isAllowed } from '../access/permission.ts';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  findAdvertiserNotification,
  listAdvertiserNotifications,
  markNotificationRead,
  type NotificationRow,
} from '../storage/notifications.ts';
import { isoTime, isoTimeOrNull, readRowId, readWorkspaceId } from './fields.ts';
import { pageMeta, readPage } from './pagination.ts';
import { type Answer, type Route, route } from './route.ts';

const PATH = '/api/advertiser/notifications';
const READER = { kind: 'session', permission: 'notification:read' } as const;

export const notificationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: READER,
    handle: async (runtime, { caller, request }) => {
      const page = readPage(request.query);
      if (isRejection(page)) return page;
      const named = readWorkspaceId(request.query);
      if (isRejection(named)) return named;
      const workspaceIds = chooseWorkspaces(caller, 'notification:read', named);
      if (isRejection(workspaceIds)) return workspaceIds;
      const { read } = runtime.engine;
      const { notifications, total } = await listAdvertiserNotifications(read, workspaceIds, page);
      return {
        body: { success: true, data: notifications.map(notificationRow), meta: pageMeta(page, total) },
      };
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:id/read`,
    access: READER,
    handle: async (runtime, { caller, params }) => {
      const id = readRowId(params['id']);
      return isRejection(id) ? id : markRead(runtime, caller, id);
    },
  }),
];

/** It is read for the whole workspace, from the first time on. */
async function markRead(runtime: Runtime, actor: Actor, id: number): Promise<Answer | Rejection> {
  const found = await findAdvertiserNotification(runtime.engine.read, id);
  if (!found) return new Rejection('not_found');
  if (!isAllowed(actor, found.workspace_id, 'notification:read')) return new Rejection('forbidden');
  return await answerRead(runtime, found, notificationRow);
}

/** Marks as read what the caller may see. */
export async function answerRead(
  runtime: Runtime,
  { id, workspace_id }: NotificationRow,
  toRow: (row: NotificationRow) => unknown,
): Promise<Answer | Rejection> {
  const at = runtime.now();
  const marked = await runtime.engine.write(workspace_id, (tx) => markNotificationRead(tx, id, at));
  return marked ? { body: { success: true, data: toRow(marked) } } : new Rejection('not_found');
}

export function notificationRow(row: NotificationRow) {
  const payload = JSON.parse(row.payload) as Record<string, unknown>;
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    program_id: row.program_id,
    kind: row.kind,
    details: Object.fromEntries(Object.entries(payload).map(([name, value]) => [snakeCase(name), value])),
    read_at: isoTimeOrNull(row.read_at),
    created_at: isoTime(row.created_at),
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
