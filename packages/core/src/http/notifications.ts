import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { readNotification } from '../management/notifications.ts';
import { isRejection } from '../rejection.ts';
import { listAdvertiserNotifications, type NotificationRow } from '../storage/accounts/notifications.ts';
import { readRowId } from './fields.ts';
import { listAnswer } from './pagination.ts';
import { itemAnswer, type Route, route } from './route.ts';
import { readWorkspacePage } from './workspace-page.ts';

const PATH = '/api/advertiser/notifications';
const READER = { kind: 'session', permission: 'notification:read' } as const;

export const notificationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: READER,
    handle: async (runtime, { caller, request }) => {
      const asked = readWorkspacePage(caller, 'notification:read', request.query);
      if (isRejection(asked)) return asked;
      const { page, workspaceIds } = asked;
      const { read } = runtime.engine;
      const { notifications, total } = await listAdvertiserNotifications(read, workspaceIds, page);
      return listAnswer(notifications.map(notificationRow), page, total);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:id/read`,
    access: READER,
    handle: async (runtime, { caller, params }) => {
      const id = readRowId(params['id']);
      if (isRejection(id)) return id;
      return itemAnswer(await readNotification(runtime, caller, id), notificationRow);
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
