import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { readNotification } from '../management/notifications.ts';
import { isRejection } from '../rejection.ts';
import { listAdvertiserNotifications, type NotificationRow } from '../storage/notifications.ts';
import { readRowId, readWorkspaceId } from './fields.ts';
import { pageMeta, readPage } from './pagination.ts';
import { type Route, route } from './route.ts';

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
      if (isRejection(id)) return id;
      const read = await readNotification(runtime, caller, id);
      return isRejection(read) ? read : { body: { success: true, data: notificationRow(read) } };
    },
  }),
];

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
