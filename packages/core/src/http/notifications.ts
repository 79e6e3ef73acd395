import { notificationsQuery, readNotificationsRequest } from '@affkit/protocol';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import {
  markAdvertiserNotificationRead,
  markAllAdvertiserNotificationsRead,
} from '../management/notifications.ts';
import { isRejection } from '../rejection.ts';
import { listAdvertiserNotifications, type NotificationRow } from '../storage/accounts/notifications.ts';
import { type PageQuery, pageMeta, rowRangeOf } from './pagination.ts';
import { type Reply, type Route, replyWithItem, route } from './route.ts';

const NOTIFICATIONS_PATH = '/api/advertiser/notifications';
// All members of a workspace share the read state of a notification. Marking a notification as read is therefore a
// change that needs its own permission, unlike reading the list.
const WRITE_ROUTE_ACCESS = { kind: 'session', permission: 'notification:write' } as const;

export const notificationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: NOTIFICATIONS_PATH,
    access: { kind: 'session', permission: 'notification:read' },
    query: notificationsQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, 'notification:read', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const range = { ...rowRangeOf(query), onlyUnread: query.unread === '1' };
      const page = await listAdvertiserNotifications(runtime.engine.read, workspaceIds, range);
      return replyWithNotifications(page.notifications.map(toNotificationReply), query, page);
    },
  }),
  route({
    method: 'POST',
    path: `${NOTIFICATIONS_PATH}/read-all`,
    access: WRITE_ROUTE_ACCESS,
    body: readNotificationsRequest,
    handle: async (runtime, { caller, body }) => {
      const workspaceIds = chooseWorkspaces(caller, 'notification:write', body.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const marked = await markAllAdvertiserNotificationsRead(runtime, workspaceIds);
      return { body: { success: true, data: { marked } } };
    },
  }),
  route({
    method: 'POST',
    path: `${NOTIFICATIONS_PATH}/:id/read`,
    access: WRITE_ROUTE_ACCESS,
    handle: async (runtime, { caller, params }) =>
      replyWithItem(await markAdvertiserNotificationRead(runtime, caller, params.id), toNotificationReply),
  }),
];

export function replyWithNotifications(
  data: readonly object[],
  query: PageQuery,
  { total, unread }: { readonly total: number; readonly unread: number },
): Reply {
  return { body: { success: true, data, meta: { ...pageMeta(query, total), unread_count: unread } } };
}

export function toNotificationReply(row: NotificationRow) {
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
