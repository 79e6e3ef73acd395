import { adjustCommissionRequest } from '@affkit/protocol';
import type { CommissionStatus } from '../domain/commission-status.ts';
import { readTimeRange } from '../domain/date-bound.ts';
import { adjustCommission, type CommissionAdjusted } from '../management/adjust-commission.ts';
import { approveCommission, rejectCommission } from '../management/commissions.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { type CommissionFilter, type CommissionView, listCommissions } from '../storage/commission-list.ts';
import { isoTime, isoTimeOrNull, readPartnerId, readRowId } from './fields.ts';
import { pageMeta, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { type Answer, type Route, route } from './route.ts';

const PATH = '/api/advertiser/affiliate-programs/:id/commissions';
const STATUSES: readonly CommissionStatus[] = [
  'pending',
  'approved',
  'paid',
  'rejected',
  'reversed',
  'refunded',
];

export const commissionRoutes: Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: { kind: 'management', scope: 'commission:list', program: true },
    handle: async (runtime, { caller: { program }, request }) => {
      const page = readPage(request.query);
      if (isRejection(page)) return page;
      const filter = readFilter(request.query);
      if (isRejection(filter)) return filter;
      const { commissions, total } = await listCommissions(runtime.engine.read, program.id, filter, page);
      return { body: { success: true, data: commissions.map(commissionRow), meta: pageMeta(page, total) } };
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:commissionId/approve`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const id = readRowId(params['commissionId']);
      return isRejection(id) ? id : commissionAnswer(await approveCommission(runtime, program, id));
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:commissionId/reject`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const id = readRowId(params['commissionId']);
      return isRejection(id) ? id : commissionAnswer(await rejectCommission(runtime, program, id));
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
      const adjusted = await adjustCommission(runtime, program, id, correction);
      return isRejection(adjusted) ? adjusted : { body: { success: true, data: adjustedRow(adjusted) } };
    },
  }),
];

function readFilter(query: URLSearchParams): CommissionFilter | Rejection {
  const range = readTimeRange(query.get('dateFrom'), query.get('dateTo'));
  if (isRejection(range)) return range;
  const asked = query.get('status') || null;
  const status = STATUSES.find((known) => known === asked) ?? null;
  if (asked !== null && status === null) {
    return new Rejection('invalid_field', `status must be one of ${STATUSES.join(', ')}`);
  }
  const partnerId = readPartnerId(query);
  return isRejection(partnerId) ? partnerId : { status, partnerId, range };
}

function commissionAnswer(commission: CommissionView | Rejection): Answer | Rejection {
  return isRejection(commission) ? commission : { body: { success: true, data: commissionRow(commission) } };
}

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
    status: commission.status,
    amount_cents: commission.amount_cents,
    deducted_cents: commission.deducted_cents,
    adjusted_cents: commission.adjusted_cents,
    currency: commission.currency,
    subscription_id: commission.subscription_id,
    refund_reason: commission.refund_reason,
    commission_date: isoTime(commission.commission_at),
    releasable_at: isoTime(commission.releasable_at),
    approved_at: isoTimeOrNull(commission.approved_at),
    rejected_at: isoTimeOrNull(commission.rejected_at),
    payout_id: commission.payout_id,
    paid_at: isoTimeOrNull(commission.paid_at),
    created_at: isoTime(commission.created_at),
  };
}
