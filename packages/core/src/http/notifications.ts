import { workspacePageQuery } from '@affkit/protocol';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { markAdvertiserNotificationRead } from '../management/notifications.ts';
import { isRejection } from '../rejection.ts';
import { listAdvertiserNotifications, type NotificationRow } from '../storage/accounts/notifications.ts';
import { replyWithList, rowsOf } from './pagination.ts';
import { type Route, replyWithItem, route } from './route.ts';

const PATH = '/api/advertiser/notifications';
const READER = { kind: 'session', permission: 'notification:read' } as const;

export const notificationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: READER,
    query: workspacePageQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, 'notification:read', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const { read } = runtime.engine;
      const { notifications, total } = await listAdvertiserNotifications(read, workspaceIds, rowsOf(query));
      return replyWithList(notifications.map(notificationRow), query, total);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:id/read`,
    access: READER,
    handle: async (runtime, { caller, params }) =>
      replyWithItem(await markAdvertiserNotificationRead(runtime, caller, params.id), notificationRow),
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
