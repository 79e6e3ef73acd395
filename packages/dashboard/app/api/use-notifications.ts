import type { UseQueryResult } from '@tanstack/preact-query';
import type { Query } from './client.ts';
import type { ListReply, Me, Notification } from './types.ts';
import { type ApiOptions, useApi } from './use-api.ts';

export const NOTIFICATIONS = '/api/advertiser/notifications';

const PAGE_SIZE = 25;

export interface NotificationList extends ListReply<Notification> {
  readonly meta: ListReply<Notification>['meta'] & {
    /** Number of unread notifications on all pages. Servers of an earlier version leave it out. */
    readonly unread_count?: number;
  };
}

/** Reads a page of the notifications of all workspaces of the user. The bell and the list share the first page. */
export function useNotifications(
  query: Query,
  options?: ApiOptions,
): UseQueryResult<NotificationList, Error> {
  return useApi<NotificationList>(NOTIFICATIONS, { ...query, pageSize: PAGE_SIZE }, options);
}

/** The number of unread notifications, at least those of the loaded page. */
export function unreadCount({ data, meta }: NotificationList): number {
  return meta.unread_count ?? data.filter(({ read_at }) => read_at === null).length;
}

/** Whether a workspace of the user shows its notifications to the user's role. */
export function mayReadNotifications(me: Me): boolean {
  return me.workspaces.some(({ permissions }) => permissions.includes('notification:read'));
}
