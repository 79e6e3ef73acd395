import { adjustCommissionRequest } from '@affkit/protocol';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { adjustCommission, type CommissionAdjusted } from '../management/adjust-commission.ts';
import { approveCommission, rejectCommission } from '../management/commissions.ts';
import { isRejection } from '../rejection.ts';
import { type CommissionView, listCommissions } from '../storage/reads/commission-list.ts';
import type { CommissionState } from '../storage/reads/portal-commissions.ts';
import { readCommissionFilter } from './commission-filter.ts';
import { readQueryId, readRowId } from './fields.ts';
import { listAnswer, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { itemAnswer, type Route, route } from './route.ts';

const PATH = '/api/advertiser/affiliate-programs/:id/commissions';

export const commissionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: { kind: 'management', scope: 'commission:list', program: true },
    handle: async (runtime, { caller: { program }, request }) => {
      const page = readPage(request.query);
      if (isRejection(page)) return page;
      const filter = readCommissionFilter(request.query);
      if (isRejection(filter)) return filter;
      const partnerId = readQueryId(request.query, 'partner_id');
      if (isRejection(partnerId)) return partnerId;
      const { commissions, total } = await listCommissions(
        runtime.engine.read,
        program.id,
        { ...filter, partnerId: partnerId ?? null },
        page,
      );
      return listAnswer(commissions.map(commissionRow), page, total);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:commissionId/approve`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const id = readRowId(params['commissionId']);
      return isRejection(id) ? id : itemAnswer(await approveCommission(runtime, program, id), commissionRow);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:commissionId/reject`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const id = readRowId(params['commissionId']);
      return isRejection(id) ? id : itemAnswer(await rejectCommission(runtime, program, id), commissionRow);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:commissionId/adjust`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    handle: async (runtime, { caller: { program }, params, body }) => {
      const id = readRowId(params['commissionId']);
      if (isRejection(id)) return id;
      const correction = parseBody(adjustCommissionRequest, body);
      if (isRejection(correction)) return correction;
      return itemAnswer(await adjustCommission(runtime, program, id, correction), adjustedRow);
    },
  }),
];

function adjustedRow({ commission, adjustment }: CommissionAdjusted) {
  const { id, amount_cents, reason, created_at } = adjustment;
  return {
    ...commissionRow(commission),
    adjustment: { id, amount_cents, reason, created_at: isoTime(created_at) },
  };
}

function commissionRow(commission: CommissionView) {
  return {
    id: commission.id,
    sale_id: commission.sale_id,
    transaction_id: commission.transaction_id,
    sale_amount_cents: commission.sale_amount_cents,
    partner_id: commission.partner_id,
    ...commissionFields(commission),
    subscription_id: commission.subscription_id,
    created_at: isoTime(commission.created_at),
  };
}

/** How a commission stands, without a word on its sale: its partner may see that much. */
export function commissionFields(commission: CommissionState) {
  return {
    status: commission.status,
    amount_cents: commission.amount_cents,
    deducted_cents: commission.deducted_cents,
    adjusted_cents: commission.adjusted_cents,
    currency: commission.currency,
    refund_reason: commission.refund_reason,
    commission_date: isoTime(commission.commission_at),
    releasable_at: isoTime(commission.releasable_at),
    approved_at: isoTimeOrNull(commission.approved_at),
    rejected_at: isoTimeOrNull(commission.rejected_at),
    payout_id: commission.payout_id,
    paid_at: isoTimeOrNull(commission.paid_at),
  };
}
