import {
  allReadReply,
  commissionTotalRow,
  createdReply,
  itemReply,
  listReply,
  notificationListReply,
  portalCommissionRow,
  portalNotificationRow,
  portalPartnersReply,
  portalPayoutDetailRow,
  portalPayoutRow,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import {
  EXAMPLE_TIME,
  exampleCommission,
  examplePagination,
  examplePartner,
  examplePayout,
  exampleProgram,
  exampleUser,
} from './examples.ts';

const {
  sale_id: _sale,
  transaction_id: _transaction,
  sale_amount_cents: _amount,
  sale_currency: _currency,
  partner_name: _partner,
  subscription_id: _subscription,
  created_at: _created,
  ...commissionState
} = exampleCommission;
const portalCommission = { ...commissionState, program_id: exampleProgram.id, partner_id: examplePartner.id };

const {
  partner_name: _name,
  partner_email: _email,
  batch_id: _batch,
  details_changed_at: _changed,
  ...payoutState
} = examplePayout;
const examplePortalPayout = { ...payoutState, program_id: exampleProgram.id };

const examplePortalNotification: z.output<typeof portalNotificationRow> = {
  id: 1,
  workspace_id: 1,
  program_id: exampleProgram.id,
  partner_id: examplePartner.id,
  kind: 'commission_reversed',
  details: {
    commission_id: exampleCommission.id,
    deduction_cents: 400,
    currency: 'USD',
    reason: 'Sent back',
  },
  read_at: null,
  created_at: EXAMPLE_TIME,
};

const { links: _links, applied_at: _appliedAt, email, name, id, ...enrollment } = examplePartner;

export const partnerPortalDescriptions: Descriptions = {
  'GET /api/partner/me': {
    id: 'readOwnPartners',
    tag: 'Partner',
    summary: 'Get the partners and programs of the signed-in user',
    description: 'A user can be a partner in several workspaces, at most once in each.',
    errors: ['not_found'],
    replies: {
      200: reply("The user's partners, with the programs of each partner.", portalPartnersReply, {
        'One program': {
          success: true,
          user: { ...exampleUser, email, name },
          email_delivery: 'email',
          partners: [
            {
              id,
              name,
              email,
              workspace_id: 1,
              workspace_name: 'Tea Shop',
              programs: [
                {
                  program_id: exampleProgram.id,
                  name: exampleProgram.name,
                  slug: exampleProgram.slug,
                  site_url: exampleProgram.site_url,
                  currency: exampleProgram.currency,
                  cookie_window_days: exampleProgram.cookie_window_days,
                  ...enrollment,
                  link_count: 1,
                  enrolled_at: EXAMPLE_TIME,
                  data_since: EXAMPLE_TIME,
                  payouts: { min_payout_cents: 5000, schedule_day: 15, next_at: '2026-02-15T00:00:00.000Z' },
                  terms: {
                    hold_days: 30,
                    commission: {
                      type: 'percent',
                      rate: 20,
                      recurring_months: 12,
                      text: 'You earn 20% of each sale. Renewals of a subscription earn a commission for 12 months.',
                    },
                    products: [],
                  },
                },
              ],
            },
          ],
        },
      }),
    },
  },
  'GET /api/partner/commissions': {
    id: 'listOwnCommissions',
    tag: 'Partner',
    summary: "List the partner's commissions",
    description: 'Includes commissions of deleted programs.',
    errors: ['not_found'],
    replies: {
      200: reply('A page of commissions, newest first.', listReply(portalCommissionRow), {
        One: { success: true, data: [portalCommission], meta: examplePagination(1) },
      }),
    },
  },
  'GET /api/partner/commissions/totals': {
    id: 'sumOwnCommissions',
    tag: 'Partner',
    summary: "Sum the partner's commissions by status and currency",
    description:
      'Accepts the same filters as the list of commissions. Amounts of different currencies are never added up.',
    errors: ['not_found'],
    replies: {
      200: reply('A row for each status and currency.', createdReply(commissionTotalRow), {
        One: {
          success: true,
          data: [
            {
              status: 'pending',
              currency: 'USD',
              count: 2,
              amount_cents: 800,
              deducted_cents: 0,
              adjusted_cents: 0,
            },
          ],
        },
      }),
    },
  },
  'GET /api/partner/commissions/:commissionId': {
    id: 'readOwnCommission',
    tag: 'Partner',
    summary: "Get a partner's commission",
    description:
      'Commissions of deleted programs are included. The trace of the sale explains the commission.',
    errors: ['not_found'],
    replies: {
      200: reply('The commission.', itemReply(portalCommissionRow), {
        One: { success: true, data: portalCommission },
      }),
    },
  },
  'GET /api/partner/payouts': {
    id: 'listOwnPayouts',
    tag: 'Partner',
    summary: "List the partner's payouts",
    description:
      "`ledger_position` and `ledger_hash` identify the last entry of the program's ledger right after the payout was created. If you store a copy of both, you can detect any later change to this entry or to an earlier one.",
    errors: ['not_found'],
    replies: {
      200: reply('A page of payouts, newest first.', listReply(portalPayoutRow), {
        One: { success: true, data: [examplePortalPayout], meta: examplePagination(1) },
      }),
    },
  },
  'GET /api/partner/payouts/:payoutId': {
    id: 'readOwnPayout',
    tag: 'Partner',
    summary: "Get a partner's payout",
    description:
      'The reply contains the payer and the payee, for a receipt. `GET /api/partner/commissions?payout_id=` lists the commissions of the payout.',
    errors: ['not_found'],
    replies: {
      200: reply('The payout.', itemReply(portalPayoutDetailRow), {
        One: {
          success: true,
          data: {
            ...examplePortalPayout,
            program_name: exampleProgram.name,
            workspace_name: 'Tea Shop',
            partner_name: examplePartner.name,
            partner_email: examplePartner.email,
            payee: {
              method: 'bank',
              tax_name: 'Alice Example',
              tax_id: null,
              address: null,
            },
          },
        },
      }),
    },
  },
  'GET /api/partner/notifications': {
    id: 'listOwnNotifications',
    tag: 'Partner',
    summary: "List the partner's notifications",
    description: 'Notifications about commissions and payouts.',
    errors: ['not_found'],
    replies: {
      200: reply('A page of notifications, newest first.', notificationListReply(portalNotificationRow), {
        One: {
          success: true,
          data: [examplePortalNotification],
          meta: { ...examplePagination(1), unread_count: 1 },
        },
      }),
    },
  },
  'POST /api/partner/notifications/read-all': {
    id: 'readAllOwnNotifications',
    tag: 'Partner',
    summary: "Mark all of the partner's notifications as read",
    description: 'Without `partner_id`, marks the notifications of all partners of the user.',
    body: body('PartnerNotificationsRead', { All: {} }),
    replies: {
      200: reply('The number of notifications that were unread.', allReadReply, {
        Marked: { success: true, data: { marked: 3 } },
      }),
    },
    errors: ['not_found'],
  },
  'POST /api/partner/notifications/:id/read': {
    id: 'readOwnNotification',
    tag: 'Partner',
    summary: "Mark a partner's notification as read",
    description: 'A repeated request keeps the first `read_at`.',
    replies: {
      200: reply('The notification.', itemReply(portalNotificationRow), {
        Marked: { success: true, data: { ...examplePortalNotification, read_at: EXAMPLE_TIME } },
      }),
    },
    errors: ['not_found'],
  },
};
