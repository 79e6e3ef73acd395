import { readPortalNotification } from '../management/notifications.ts';
import { isRejection } from '../rejection.ts';
import { listPartnerNotifications, type NotificationRow } from '../storage/accounts/notifications.ts';
import { readRowId } from './fields.ts';
import { notificationRow } from './notifications.ts';
import { listAnswer } from './pagination.ts';
import { readPortalPage } from './partner-portal.ts';
import { itemAnswer, type Route, route } from './route.ts';

const PATH = '/api/partner/notifications';
const PARTNER = { kind: 'partner' } as const;

/** What a partner may read of a notification: what else one holds, by mistake or for the advertiser, stays here. */
const SHOWN: readonly string[] = [
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
    handle: async (runtime, { caller, request }) => {
      const asked = readPortalPage(caller, request.query);
      if (isRejection(asked)) return asked;
      const { page, partners } = asked;
      const { notifications, total } = await listPartnerNotifications(runtime.engine.read, partners, page);
      const data = notifications.map(portalNotificationRow);
      return listAnswer(data, page, total);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:id/read`,
    access: PARTNER,
    handle: async (runtime, { caller, params }) => {
      const id = readRowId(params['id']);
      if (isRejection(id)) return id;
      return itemAnswer(await readPortalNotification(runtime, caller.partners, id), portalNotificationRow);
    },
  }),
];

function portalNotificationRow(row: NotificationRow) {
  const { details, ...fields } = notificationRow(row);
  const shown = Object.entries(details).filter(([name]) => SHOWN.includes(name));
  return { ...fields, partner_id: row.partner_id, details: Object.fromEntries(shown) };
}
