import { portalNotificationsQuery, readPortalNotificationsRequest } from '@affkit/protocol';
import { choosePortalPartners } from '../access/partner-choice.ts';
import { markAllRead, markPortalNotificationRead } from '../management/notifications.ts';
import { isRejection } from '../rejection.ts';
import { listPartnerNotifications, type NotificationRow } from '../storage/accounts/notifications.ts';
import { replyWithNotifications, toNotificationReply } from './notifications.ts';
import { rowRangeOf } from './pagination.ts';
import { PARTNER_ROUTE_ACCESS } from './portal-selection.ts';
import { type Route, replyWithItem, route } from './route.ts';

const PORTAL_NOTIFICATIONS_PATH = '/api/partner/notifications';

/**
 * The details that a partner may see in a notification. All other details are removed. They are either only for the
 * advertiser, or nobody has checked whether a partner may see them.
 */
const VISIBLE_DETAILS: readonly string[] = [
  'commission_id',
  'deduction_cents',
  'payout_id',
  'amount_cents',
  'currency',
  'reason',
  'reference',
  'changed_fields',
];

export const portalNotificationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PORTAL_NOTIFICATIONS_PATH,
    access: PARTNER_ROUTE_ACCESS,
    query: portalNotificationsQuery,
    handle: async (runtime, { caller, query }) => {
      const partners = choosePortalPartners(caller, query.partner_id);
      if (isRejection(partners)) return partners;
      const range = { ...rowRangeOf(query), onlyUnread: query.unread === '1' };
      const page = await listPartnerNotifications(runtime.engine.read, partners, range);
      return replyWithNotifications(page.notifications.map(toPortalNotificationReply), query, page);
    },
  }),
  route({
    method: 'POST',
    path: `${PORTAL_NOTIFICATIONS_PATH}/read-all`,
    access: PARTNER_ROUTE_ACCESS,
    body: readPortalNotificationsRequest,
    handle: async (runtime, { caller, body }) => {
      const partners = choosePortalPartners(caller, body.partner_id);
      if (isRejection(partners)) return partners;
      return { body: { success: true, data: { marked: await markAllRead(runtime, partners) } } };
    },
  }),
  route({
    method: 'POST',
    path: `${PORTAL_NOTIFICATIONS_PATH}/:id/read`,
    access: PARTNER_ROUTE_ACCESS,
    handle: async (runtime, { caller, params }) => {
      const notification = await markPortalNotificationRead(runtime, caller.partners, params.id);
      return replyWithItem(notification, toPortalNotificationReply);
    },
  }),
];

export function toPortalNotificationReply(row: NotificationRow) {
  const { details, ...fields } = toNotificationReply(row);
  const visible = Object.entries(details).filter(([name]) => VISIBLE_DETAILS.includes(name));
  return { ...fields, partner_id: row.partner_id, details: Object.fromEntries(visible) };
}
