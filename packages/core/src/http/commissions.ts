import { adjustCommissionRequest, commissionsCsvQuery, commissionsQuery } from '@affkit/protocol';
import type { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { isInReview } from '../domain/commission-status.ts';
import { type AdjustmentResult, adjustCommission } from '../management/adjust-commission.ts';
import { approveCommission, rejectCommission } from '../management/commissions.ts';
import { type CommissionView, listCommissions } from '../storage/reads/commission-list.ts';
import type { CommissionState } from '../storage/reads/portal-commissions.ts';
import { formatAmount, replyWithCsv } from './csv-export.ts';
import { replyWithList, rowsOf } from './pagination.ts';
import { type Route, replyWithItem, route } from './route.ts';
import { timeRangeOf } from './time-range.ts';

const PATH = '/api/advertiser/affiliate-programs/:id/commissions';

/** Columns of the CSV files of commissions, for the advertiser and for the partner. */
export const COMMISSION_COLUMNS = [
  'status',
  'amount_cents',
  'amount',
  'deducted_cents',
  'adjusted_cents',
  'currency',
  'refund_reason',
  'commission_date',
  'releasable_at',
  'needs_approval',
  'disputed',
  'approved_at',
  'rejected_at',
  'payout_id',
  'paid_at',
] as const;

const COLUMNS = [
  'id',
  'sale_id',
  'transaction_id',
  'sale_amount_cents',
  'partner_id',
  ...COMMISSION_COLUMNS,
  'subscription_id',
  'created_at',
];

export const commissionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: { kind: 'management', scope: 'commission:list', program: true },
    query: commissionsQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const { read } = runtime.engine;
      const filter = filterOf(query);
      const { commissions, total } = await listCommissions(read, program.id, filter, rowsOf(query));
      return replyWithList(commissions.map(commissionRow), query, total);
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}.csv`,
    access: { kind: 'management', scope: 'commission:list', program: true },
    query: commissionsCsvQuery,
    handle: (runtime, { caller: { program }, query }) =>
      replyWithCsv(runtime, {
        name: `commissions-${program.slug}`,
        columns: COLUMNS,
        listRows: async ({ engine }, range) => {
          const { commissions } = await listCommissions(engine.read, program.id, filterOf(query), range);
          return commissions.map(commissionRow).map((row) => ({ ...row, amount: formatAmount(row) }));
        },
      }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:commissionId/approve`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await approveCommission(runtime, program, params.commissionId), commissionRow),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:commissionId/reject`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await rejectCommission(runtime, program, params.commissionId), commissionRow),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:commissionId/adjust`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    body: adjustCommissionRequest,
    handle: async (runtime, { caller: { program }, params, body }) =>
      replyWithItem(await adjustCommission(runtime, program, params.commissionId, body), adjustedRow),
  }),
];

function filterOf(query: z.output<typeof commissionsCsvQuery>) {
  const { status = null, partner_id: partnerId = null } = query;
  return { status, partnerId, range: timeRangeOf(query) };
}

function adjustedRow({ commission, adjustment }: AdjustmentResult) {
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

/** The fields of a commission that its partner may see. They do not include any field of the sale. */
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
    needs_approval: isInReview(commission),
    disputed: commission.disputed === 1,
    approved_at: isoTimeOrNull(commission.approved_at),
    rejected_at: isoTimeOrNull(commission.rejected_at),
    payout_id: commission.payout_id,
    paid_at: isoTimeOrNull(commission.paid_at),
  };
}
