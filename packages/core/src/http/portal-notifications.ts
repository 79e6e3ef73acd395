import { portalPageQuery } from '@affkit/protocol';
import { choosePartners } from '../access/partner-choice.ts';
import { markPortalNotificationRead } from '../management/notifications.ts';
import { isRejection } from '../rejection.ts';
import { listPartnerNotifications, type NotificationRow } from '../storage/accounts/notifications.ts';
import { notificationRow } from './notifications.ts';
import { replyWithList, rowsOf } from './pagination.ts';
import { type Route, replyWithItem, route } from './route.ts';

const PATH = '/api/partner/notifications';
const PARTNER = { kind: 'partner' } as const;

/**
 * The details of a notification that a partner may see. Any other detail is for the advertiser, or was added
 * by mistake.
 */
const VISIBLE_DETAILS: readonly string[] = [
  'commission_id',
  'deduction_cents',
  'payout_id',
  'amount_cents',
  'currency',
  'reason',
  'reference',
];

export const portalNotificationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: PARTNER,
    query: portalPageQuery,
    handle: async (runtime, { caller, query }) => {
      const partners = choosePartners(caller, query.partner_id);
      if (isRejection(partners)) return partners;
      const { read } = runtime.engine;
      const { notifications, total } = await listPartnerNotifications(read, partners, rowsOf(query));
      return replyWithList(notifications.map(portalNotificationRow), query, total);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:id/read`,
    access: PARTNER,
    handle: async (runtime, { caller, params }) => {
      const notification = await markPortalNotificationRead(runtime, caller.partners, params.id);
      return replyWithItem(notification, portalNotificationRow);
    },
  }),
];

function portalNotificationRow(row: NotificationRow) {
  const { details, ...fields } = notificationRow(row);
  const visible = Object.entries(details).filter(([name]) => VISIBLE_DETAILS.includes(name));
  return { ...fields, partner_id: row.partner_id, details: Object.fromEntries(visible) };
}
