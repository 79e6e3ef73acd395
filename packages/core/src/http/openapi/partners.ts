import {
  adjustedCommissionRow,
  commissionRow,
  createdPartnerRow,
  doneReply,
  itemReply,
  linkRow,
  listReply,
  partnerRow,
  policyRow,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { AT, commission, link, page, partner } from './examples.ts';

const P = '/api/advertiser/affiliate-programs/:id';

const policy: z.output<typeof policyRow> = {
  id: 1,
  type: 'percent',
  rate: 20,
  product_id: null,
  partner_id: null,
  recurring_months: 12,
  is_default: true,
  version: 1,
  created_at: AT,
};
const own = { ...policy, id: 2, rate: 30, partner_id: 1, is_default: false };

export const partnerDescriptions: Descriptions = {
  [`GET ${P}/partners`]: {
    id: 'listPartners',
    tag: 'Partners',
    summary: 'List partners',
    replies: {
      200: reply('A page of partners.', listReply(partnerRow), {
        One: { success: true, data: [partner], meta: page(1) },
      }),
    },
  },
  [`POST ${P}/partners`]: {
    id: 'createPartner',
    tag: 'Partners',
    summary: 'Enroll a partner',
    description:
      "Makes or reuses the workspace's partner of that e-mail, and makes its first link, with `code` as its `short_link`.",
    body: body('PartnerRequest', {
      'With a code': { name: 'Anna', email: 'anna@blog.example', code: 'anna' },
    }),
    replies: {
      200: reply('Was enrolled already.', itemReply(createdPartnerRow), {
        'As it is': { success: true, data: partner },
      }),
      201: reply('Enrolled.', itemReply(createdPartnerRow), {
        Enrolled: {
          success: true,
          data: {
            ...partner,
            invite_token: 'affi_EXAMPLE',
            invite_expires_at: '2026-02-07T12:00:00.000Z',
          },
        },
      }),
    },
    errors: ['conflict', 'short_link_taken'],
  },
  [`PUT ${P}/partners/:partnerId`]: {
    id: 'updatePartner',
    tag: 'Partners',
    summary: 'Change a partner',
    description: 'Links of a partner that is not approved count as inactive.',
    body: body('PartnerChange', { 'No longer approved': { status: 'banned' } }),
    replies: {
      200: reply('Changed.', itemReply(partnerRow), {
        Changed: { success: true, data: { ...partner, status: 'banned' } },
      }),
    },
    errors: ['not_found', 'conflict'],
  },
  [`GET ${P}/links`]: {
    id: 'listLinks',
    tag: 'Partners',
    summary: 'List links',
    replies: {
      200: reply('A page of links.', listReply(linkRow), {
        One: { success: true, data: [link], meta: page(1) },
      }),
    },
  },
  [`POST ${P}/links`]: {
    id: 'createLink',
    tag: 'Partners',
    summary: 'Make a link',
    body: body('LinkRequest', { 'With a code': { partner_id: 1, short_link: 'anna' } }),
    replies: { 201: reply('Made.', itemReply(linkRow), { Made: { success: true, data: link } }) },
    errors: ['short_link_taken'],
  },
  [`PUT ${P}/links/:linkId`]: {
    id: 'updateLink',
    tag: 'Partners',
    summary: 'Switch a link on or off',
    body: body('LinkChange', { Off: { status: 'inactive' } }),
    replies: {
      200: reply('Changed.', itemReply(linkRow), {
        Off: { success: true, data: { ...link, status: 'inactive' } },
      }),
    },
    errors: ['not_found'],
  },
};

export const commissionDescriptions: Descriptions = {
  [`GET ${P}/commission-policies`]: {
    id: 'listPolicies',
    tag: 'Commissions',
    summary: 'List commission policies',
    replies: {
      200: reply('A page of policies.', listReply(policyRow), {
        'The default': { success: true, data: [policy], meta: page(1) },
      }),
    },
  },
  [`POST ${P}/commission-policies`]: {
    id: 'createPolicy',
    tag: 'Commissions',
    summary: 'Add a policy for a product or a partner',
    description: 'The most specific wins: product and partner, product, partner, default.',
    body: body('PolicyRequest', {
      'More for one partner': { type: 'percent', rate: 30, partner_id: 1, recurring_months: 12 },
    }),
    replies: { 201: reply('Added.', itemReply(policyRow), { Added: { success: true, data: own } }) },
    errors: ['conflict'],
  },
  [`PUT ${P}/commission-policies/:policyId`]: {
    id: 'updatePolicy',
    tag: 'Commissions',
    summary: 'Set new terms',
    description:
      'Makes a new version: commissions keep the version that made them. What is left out stays; another `type` needs its ' +
      '`rate` or `amount_cents`. `recurring_months: null` is for ever.',
    body: body('PolicyChange', { 'A flat amount': { type: 'flat', amount_cents: 500 } }),
    replies: {
      200: reply('Set.', itemReply(policyRow), {
        Set: {
          success: true,
          data: {
            id: 2,
            type: 'flat',
            amount_cents: 500,
            product_id: null,
            partner_id: 1,
            recurring_months: null,
            is_default: false,
            version: 2,
            created_at: AT,
          },
        },
      }),
    },
    errors: ['not_found', 'conflict'],
  },
  [`DELETE ${P}/commission-policies/:policyId`]: {
    id: 'deletePolicy',
    tag: 'Commissions',
    summary: 'Delete a policy',
    description: 'The default stays.',
    replies: { 200: reply('Deleted.', doneReply, { Deleted: { success: true } }) },
    errors: ['not_found', 'conflict'],
  },
  [`GET ${P}/commissions`]: {
    id: 'listCommissions',
    tag: 'Commissions',
    summary: 'List commissions',
    replies: {
      200: reply('A page of commissions.', listReply(commissionRow), {
        One: { success: true, data: [commission], meta: page(1) },
      }),
    },
  },
  [`POST ${P}/commissions/:commissionId/approve`]: {
    id: 'approveCommission',
    tag: 'Commissions',
    summary: 'Approve a commission before its hold ends',
    replies: {
      200: reply('Approved, now or before.', itemReply(commissionRow), {
        Approved: { success: true, data: { ...commission, status: 'approved', approved_at: AT } },
      }),
    },
    errors: ['not_found', 'commission_state'],
  },
  [`POST ${P}/commissions/:commissionId/reject`]: {
    id: 'rejectCommission',
    tag: 'Commissions',
    summary: "Reject a commission: it is taken back from the partner's balance",
    replies: {
      200: reply('Rejected, now or before.', itemReply(commissionRow), {
        Rejected: { success: true, data: { ...commission, status: 'rejected', rejected_at: AT } },
      }),
    },
    errors: ['not_found', 'commission_state'],
  },
  [`POST ${P}/commissions/:commissionId/adjust`]: {
    id: 'adjustCommission',
    tag: 'Commissions',
    summary: 'Correct a commission by hand',
    description:
      'A negative amount takes back at most what is left of the commission. The same `idempotency_key` again is answered and not booked again.',
    body: body('CommissionCorrection', {
      'Half of it back': { amount_cents: -200, reason: 'Second partial refund', idempotency_key: 're_2' },
    }),
    replies: {
      200: reply('Corrected, now or before by this key.', itemReply(adjustedCommissionRow), {
        Corrected: {
          success: true,
          data: {
            ...commission,
            adjusted_cents: -200,
            adjustment: { id: 1, amount_cents: -200, reason: 'Second partial refund', created_at: AT },
          },
        },
      }),
    },
    errors: ['not_found', 'commission_state', 'conflict'],
  },
};
