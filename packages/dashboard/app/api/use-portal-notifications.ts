import type { UseQueryResult } from '@tanstack/preact-query';
import type { Query } from './client.ts';
import type { ListReply, PortalNotification } from './types.ts';
import { type ApiOptions, useApi } from './use-api.ts';

export const PORTAL_NOTIFICATIONS = '/api/partner/notifications';

const PAGE_SIZE = 25;

export interface PortalNotificationList extends ListReply<PortalNotification> {
  readonly meta: ListReply<PortalNotification>['meta'] & {
    /** The number of unread notifications in the whole list, not only on this page. */
    readonly unread_count: number;
  };
}

/** Reads a page of the notifications of all the user's partners. The bell and the list share the first page. */
export function usePortalNotifications(
  query: Query,
  options?: ApiOptions,
): UseQueryResult<PortalNotificationList, Error> {
  return useApi<PortalNotificationList>(PORTAL_NOTIFICATIONS, { ...query, pageSize: PAGE_SIZE }, options);
}
