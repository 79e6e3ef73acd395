import { bulkReply, payoutPreviewReply } from '@affkit/protocol';
import { body, type Descriptions, reply } from './description.ts';

const DESCRIBED_PROGRAM_PATH = '/api/advertiser/affiliate-programs/:id';
const EACH_ROW_TEXT =
  'Each row is changed separately, and `data` has a result for each row. A row that cannot be changed does not affect the other rows.';

const exampleBulkReply = (
  status: 'approved' | 'paid',
  code: 'commission_state' | 'payout_state',
  error: string,
) => ({
  success: true as const,
  data: [
    { id: 1, ok: true as const, status },
    { id: 2, ok: false as const, code, error },
  ],
  meta: { succeeded: 1, failed: 1 },
});

export const bulkDescriptions: Descriptions = {
  [`POST ${DESCRIBED_PROGRAM_PATH}/commissions/bulk`]: {
    id: 'reviewCommissions',
    tag: 'Commissions',
    summary: 'Approve or reject commissions',
    description: EACH_ROW_TEXT,
    body: body('CommissionReview', {
      'Approve two': { ids: [1, 2], action: 'approve', idempotency_key: 'review-2026-01-31' },
    }),
    replies: {
      200: reply('The result for each commission.', bulkReply, {
        'One of two rows changed': exampleBulkReply(
          'approved',
          'commission_state',
          'Commission cannot be approved. Current status: rejected',
        ),
      }),
    },
    errors: ['conflict'],
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/partners/bulk`]: {
    id: 'changePartnerStatuses',
    tag: 'Partners',
    summary: 'Approve, reject or ban partners',
    description: EACH_ROW_TEXT,
    body: body('PartnerReview', { 'Approve two': { ids: [1, 2], action: 'approve' } }),
    replies: {
      200: reply('The result for each partner.', bulkReply, {
        'Both approved': {
          success: true,
          data: [
            { id: 1, ok: true, status: 'approved' },
            { id: 2, ok: true, status: 'approved' },
          ],
          meta: { succeeded: 2, failed: 0 },
        },
      }),
    },
    errors: ['conflict'],
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/payouts/preview`]: {
    id: 'previewPayouts',
    tag: 'Payouts',
    summary: 'List the payouts that would be created now',
    description:
      'Accepts the body of `POST …/payouts` with an additional `limit`. Stores nothing. The rows are ordered by partner id.',
    body: body('PayoutPreviewOrder', {
      'The sums': { limit: 0 },
      'All partners': { min_amount_cents: 2000 },
      'One partner': { partner_ids: [1] },
    }),
    replies: {
      200: reply('The payouts by partner and currency, and their sums.', payoutPreviewReply, {
        One: {
          success: true,
          data: [
            {
              partner_id: 1,
              partner_name: 'Anna',
              partner_email: 'anna@blog.example',
              currency: 'USD',
              amount_cents: 3000,
            },
          ],
          meta: { totals: [{ currency: 'USD', payouts: 1, amount_cents: 3000 }] },
        },
      }),
    },
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/payouts/mark-paid`]: {
    id: 'markPayoutsPaid',
    tag: 'Payouts',
    summary: 'Mark payouts as paid',
    description: `${EACH_ROW_TEXT} The \`reference\` of a paid payout cannot be changed.`,
    body: body('PayoutPayments', {
      'Two transfers': {
        items: [
          { id: 1, reference: 'SEPA 2026-01 1' },
          { id: 2, expected_amount_cents: 3000 },
        ],
        idempotency_key: 'sepa-2026-01',
      },
    }),
    replies: {
      200: reply('The result for each payout.', bulkReply, {
        'One of two rows changed': exampleBulkReply(
          'paid',
          'payout_state',
          'Payout cannot be paid. Current status: cancelled',
        ),
      }),
    },
    errors: ['conflict'],
  },
};
