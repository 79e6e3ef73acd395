import type { UseQueryResult } from '@tanstack/preact-query';
import type { Query } from './client.ts';
import type { ListReply, Me, Notification } from './types.ts';
import { type ApiOptions, useApi } from './use-api.ts';

export const NOTIFICATIONS = '/api/advertiser/notifications';

const PAGE_SIZE = 25;

export interface NotificationList extends ListReply<Notification> {
  readonly meta: ListReply<Notification>['meta'] & {
    /** The number of unread notifications in the whole list, not only on this page. */
    readonly unread_count: number;
  };
}

/**
 * Reads a page of the notifications of all the user's workspaces. The bell and the list share the request for
 * the first page.
 */
export function useNotifications(
  query: Query,
  options?: ApiOptions,
): UseQueryResult<NotificationList, Error> {
  return useApi<NotificationList>(NOTIFICATIONS, { ...query, pageSize: PAGE_SIZE }, options);
}

/** Whether the user may mark notifications of the workspace as read. This marks them as read for all members. */
export function mayMarkNotifications(me: Me, workspaceId: number): boolean {
  return me.workspaces.some(
    ({ id, permissions }) => id === workspaceId && permissions.includes('notification:write'),
  );
}

/** Whether the user's role in some workspace allows reading the notifications. */
export function mayReadNotifications(me: Me): boolean {
  return me.workspaces.some(({ permissions }) => permissions.includes('notification:read'));
}
