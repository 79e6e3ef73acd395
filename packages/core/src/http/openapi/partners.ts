import {
  adjustedCommissionRow,
  changedPartnerRow,
  commissionRow,
  commissionTotalRow,
  createdPartnerRow,
  createdReply,
  doneReply,
  inviteRow,
  itemReply,
  linkRow,
  listedLinkRow,
  listedPolicyRow,
  listReply,
  partnerDetailRow,
  partnerRow,
  policyRow,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import {
  EXAMPLE_TIME,
  exampleCommission,
  exampleInvite,
  exampleLink,
  examplePagination,
  examplePartner,
} from './examples.ts';

const DESCRIBED_PROGRAM_PATH = '/api/advertiser/affiliate-programs/:id';

const exampleListedLink: z.output<typeof listedLinkRow> = {
  ...exampleLink,
  partner_name: 'Anna',
  partner_status: 'approved',
};

const examplePolicy: z.output<typeof policyRow> = {
  id: 1,
  type: 'percent',
  rate: 20,
  product_id: null,
  partner_id: null,
  recurring_months: 12,
  is_default: true,
  version: 1,
  created_at: EXAMPLE_TIME,
};
const partnerPolicy = { ...examplePolicy, id: 2, rate: 30, partner_id: 1, is_default: false };

const exampleAmounts = [
  {
    currency: 'USD',
    pending_cents: 0,
    on_hold_cents: 1200,
    in_payout_cents: 0,
    to_deduct_cents: 0,
    paid_cents: 5000,
  },
];

export const partnerDescriptions: Descriptions = {
  [`GET ${DESCRIBED_PROGRAM_PATH}/partners`]: {
    id: 'listPartners',
    tag: 'Partners',
    summary: 'List partners',
    replies: {
      200: reply('A page of partners.', listReply(partnerRow), {
        One: { success: true, data: [examplePartner], meta: examplePagination(1) },
      }),
    },
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/partners`]: {
    id: 'createPartner',
    tag: 'Partners',
    summary: 'Enroll a partner',
    description:
      "Enrolls the workspace's partner with this email address, or a new partner if there is none. Creates the partner's first link, with `code` as its `short_link`. A key with `program_scope` gets a 403 if it would enroll a partner who is in a program outside this scope. If the workspace has sent five invitations to the address within an hour, the reply is 429.",
    body: body('PartnerRequest', {
      'With a code': { name: 'Anna', email: 'anna@blog.example', code: 'anna' },
    }),
    replies: {
      200: reply('The existing enrollment.', itemReply(createdPartnerRow), {
        'Already enrolled': { success: true, data: examplePartner },
      }),
      201: reply('The new enrollment.', itemReply(createdPartnerRow), {
        Enrolled: {
          success: true,
          data: {
            ...examplePartner,
            ...exampleInvite,
          },
        },
      }),
    },
    errors: ['conflict', 'short_link_taken', 'rate_limited'],
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/partners/:partnerId`]: {
    id: 'readPartner',
    tag: 'Partners',
    summary: 'Get a partner',
    replies: {
      200: reply('The partner.', itemReply(partnerDetailRow), {
        Invited: {
          success: true,
          data: {
            ...examplePartner,
            application: null,
            amounts: exampleAmounts,
            has_account: false,
            min_payout_cents: null,
          },
        },
      }),
    },
    errors: ['not_found'],
  },
  [`PUT ${DESCRIBED_PROGRAM_PATH}/partners/:partnerId`]: {
    id: 'updatePartner',
    tag: 'Partners',
    summary: 'Update a partner',
    description:
      'While the partner is not approved, the links of the partner keep their `status`, but record no clicks. A partner who applied is notified when the application is approved or rejected. If an approved applicant has no account, the reply has an invitation. If the service sends email, it also sends the link of the invitation.',
    body: body('PartnerChange', {
      'No longer approved': { status: 'banned' },
      'A rejected application': { status: 'rejected', status_reason: 'Your blog is not about tea.' },
    }),
    replies: {
      200: reply('The updated partner.', itemReply(changedPartnerRow), {
        Changed: {
          success: true,
          data: {
            ...examplePartner,
            status: 'banned',
            application: null,
            amounts: exampleAmounts,
            has_account: false,
            min_payout_cents: null,
          },
        },
      }),
    },
    errors: ['not_found', 'conflict'],
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/partners/:partnerId/invite`]: {
    id: 'invitePartner',
    tag: 'Partners',
    summary: 'Invite a partner again',
    description:
      'Only for partners without an account. Earlier invitations become invalid. If the service sends email, it sends the new link. If the workspace has sent five invitations to the address within an hour, the reply is 429.',
    replies: {
      201: reply('The new invitation.', itemReply(inviteRow), {
        Invited: { success: true, data: exampleInvite },
      }),
    },
    errors: ['not_found', 'conflict', 'rate_limited'],
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/links`]: {
    id: 'listLinks',
    tag: 'Partners',
    summary: 'List links',
    replies: {
      200: reply('A page of links.', listReply(listedLinkRow), {
        One: { success: true, data: [exampleListedLink], meta: examplePagination(1) },
      }),
    },
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/links`]: {
    id: 'createLink',
    tag: 'Partners',
    summary: 'Create a link',
    body: body('LinkRequest', { 'With a code': { partner_id: 1, short_link: 'anna' } }),
    replies: {
      201: reply('The new link.', itemReply(linkRow), { Created: { success: true, data: exampleLink } }),
    },
    errors: ['short_link_taken'],
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/links/:linkId`]: {
    id: 'readLink',
    tag: 'Partners',
    summary: 'Get a link',
    replies: {
      200: reply('The link.', itemReply(listedLinkRow), {
        One: { success: true, data: exampleListedLink },
      }),
    },
    errors: ['not_found'],
  },
  [`PUT ${DESCRIBED_PROGRAM_PATH}/links/:linkId`]: {
    id: 'updateLink',
    tag: 'Partners',
    summary: 'Activate or deactivate a link',
    body: body('LinkChange', { Off: { status: 'inactive' } }),
    replies: {
      200: reply('The updated link.', itemReply(linkRow), {
        Off: { success: true, data: { ...exampleLink, status: 'inactive' } },
      }),
    },
    errors: ['not_found'],
  },
};

export const commissionDescriptions: Descriptions = {
  [`GET ${DESCRIBED_PROGRAM_PATH}/commission-policies`]: {
    id: 'listPolicies',
    tag: 'Commissions',
    summary: 'List commission policies',
    replies: {
      200: reply('A page of policies.', listReply(listedPolicyRow), {
        'The default': {
          success: true,
          data: [{ ...examplePolicy, partner_name: null }],
          meta: examplePagination(1),
        },
      }),
    },
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/commission-policies`]: {
    id: 'createPolicy',
    tag: 'Commissions',
    summary: 'Create a policy for a product or a partner',
    description:
      'The most specific policy applies, in this order: product and partner, product, partner, default.',
    body: body('PolicyRequest', {
      'A higher rate for one partner': { type: 'percent', rate: 30, partner_id: 1, recurring_months: 12 },
    }),
    replies: {
      201: reply('The new policy.', itemReply(policyRow), { Added: { success: true, data: partnerPolicy } }),
    },
    errors: ['conflict'],
  },
  [`PUT ${DESCRIBED_PROGRAM_PATH}/commission-policies/:policyId`]: {
    id: 'updatePolicy',
    tag: 'Commissions',
    summary: 'Change the terms of a policy',
    description:
      'Creates a new version. Existing commissions keep their version. Missing fields do not change. A change of `type` ' +
      'requires `rate` or `amount_cents`. `recurring_months: null` removes the limit.',
    body: body('PolicyChange', { 'A flat amount': { type: 'flat', amount_cents: 500 } }),
    replies: {
      200: reply('The new version.', itemReply(policyRow), {
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
            created_at: EXAMPLE_TIME,
          },
        },
      }),
    },
    errors: ['not_found', 'conflict'],
  },
  [`DELETE ${DESCRIBED_PROGRAM_PATH}/commission-policies/:policyId`]: {
    id: 'deletePolicy',
    tag: 'Commissions',
    summary: 'Delete a policy',
    description: 'The default policy cannot be deleted.',
    replies: { 200: reply('The policy was deleted.', doneReply, { Deleted: { success: true } }) },
    errors: ['not_found', 'conflict'],
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/commissions`]: {
    id: 'listCommissions',
    tag: 'Commissions',
    summary: 'List commissions',
    replies: {
      200: reply('A page of commissions.', listReply(commissionRow), {
        One: { success: true, data: [exampleCommission], meta: examplePagination(1) },
      }),
    },
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/commissions/totals`]: {
    id: 'sumCommissions',
    tag: 'Commissions',
    summary: 'Sum commissions by status and currency',
    description:
      'Accepts the same filters as the list of commissions. Amounts of different currencies are never added up.',
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
  [`GET ${DESCRIBED_PROGRAM_PATH}/commissions/:commissionId`]: {
    id: 'readCommission',
    tag: 'Commissions',
    summary: 'Get a commission',
    replies: {
      200: reply('The commission.', itemReply(commissionRow), {
        One: { success: true, data: exampleCommission },
      }),
    },
    errors: ['not_found'],
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/commissions/:commissionId/approve`]: {
    id: 'approveCommission',
    tag: 'Commissions',
    summary: 'Approve a commission before its hold ends',
    replies: {
      200: reply('The approved commission. A repeated request succeeds too.', itemReply(commissionRow), {
        Approved: {
          success: true,
          data: { ...exampleCommission, status: 'approved', approved_at: EXAMPLE_TIME },
        },
      }),
    },
    errors: ['not_found', 'commission_state'],
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/commissions/:commissionId/reject`]: {
    id: 'rejectCommission',
    tag: 'Commissions',
    summary: "Reject a commission and deduct it from the partner's balance",
    replies: {
      200: reply('The rejected commission. A repeated request succeeds too.', itemReply(commissionRow), {
        Rejected: {
          success: true,
          data: { ...exampleCommission, status: 'rejected', rejected_at: EXAMPLE_TIME },
        },
      }),
    },
    errors: ['not_found', 'commission_state'],
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/commissions/:commissionId/adjust`]: {
    id: 'adjustCommission',
    tag: 'Commissions',
    summary: 'Adjust a commission manually',
    description:
      'A negative amount may deduct at most what is left of the commission. A repeated request with the same `idempotency_key` does not adjust again.',
    body: body('CommissionCorrection', {
      'Deduct half': { amount_cents: -200, reason: 'Second partial refund', idempotency_key: 're_2' },
    }),
    replies: {
      200: reply('The commission with its adjustment.', itemReply(adjustedCommissionRow), {
        Corrected: {
          success: true,
          data: {
            ...exampleCommission,
            adjusted_cents: -200,
            adjustment: {
              id: 1,
              amount_cents: -200,
              reason: 'Second partial refund',
              created_at: EXAMPLE_TIME,
            },
          },
        },
      }),
    },
    errors: ['not_found', 'commission_state', 'conflict'],
  },
};
