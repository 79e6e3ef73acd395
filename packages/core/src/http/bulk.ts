import {
  bulkCommissionsRequest,
  bulkPartnersRequest,
  bulkPayoutsRequest,
  previewPayoutsRequest,
} from '@affkit/protocol';
import { type BulkResult, changePartners, markPayoutsPaid, reviewCommissions } from '../management/bulk.ts';
import { type PayoutPreview, previewPayouts } from '../management/preview-payouts.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import { type Reply, type Route, route } from './route.ts';

const PROGRAM_PATH = '/api/advertiser/affiliate-programs/:id';

export const bulkRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: `${PROGRAM_PATH}/commissions/bulk`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    body: bulkCommissionsRequest,
    handle: async (runtime, { caller: { program }, body: { ids, action, idempotency_key: key } }) =>
      replyWithResults(await reviewCommissions(runtime, program, ids, action, key)),
  }),
  route({
    method: 'POST',
    path: `${PROGRAM_PATH}/partners/bulk`,
    access: { kind: 'management', scope: 'partner:update', program: true },
    body: bulkPartnersRequest,
    handle: async (runtime, { caller: { program }, body: { ids, action, idempotency_key: key } }) =>
      replyWithResults(await changePartners(runtime, program, ids, action, key)),
  }),
  route({
    method: 'POST',
    path: `${PROGRAM_PATH}/payouts/preview`,
    access: { kind: 'management', scope: 'payout:list', program: true },
    body: previewPayoutsRequest,
    handle: async (runtime, { caller: { program }, body: { limit, ...order } }) => {
      const preview = await previewPayouts(runtime, program, order, limit);
      if (isRejection(preview)) return preview;
      const { payouts, totals } = preview;
      return { body: { success: true, data: payouts.map(toPayoutPreviewReply), meta: { totals } } };
    },
  }),
  route({
    method: 'POST',
    path: `${PROGRAM_PATH}/payouts/mark-paid`,
    access: { kind: 'management', scope: 'payout:update', program: true },
    body: bulkPayoutsRequest,
    handle: async (runtime, { caller: { program }, body: { items, idempotency_key: key } }) => {
      const payments = items.map(({ id, reference, expected_amount_cents: expectedCents }) => ({
        id,
        reference: reference ?? null,
        expectedCents,
      }));
      return replyWithResults(await markPayoutsPaid(runtime, program, payments, key));
    },
  }),
];

function replyWithResults(results: BulkResult[] | Rejection): Reply | Rejection {
  if (isRejection(results)) return results;
  const succeeded = results.filter(({ ok }) => ok).length;
  const meta = { succeeded, failed: results.length - succeeded };
  return { body: { success: true, data: results, meta } };
}

function toPayoutPreviewReply(payout: PayoutPreview) {
  return {
    partner_id: payout.partnerId,
    partner_name: payout.partnerName,
    partner_email: payout.partnerEmail,
    currency: payout.currency,
    amount_cents: payout.amountCents,
  };
}
