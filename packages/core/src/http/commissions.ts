import {
  adjustCommissionRequest,
  commissionsCsvQuery,
  commissionsQuery,
  commissionTotalsQuery,
} from '@affkit/protocol';
import type { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { isInReview } from '../domain/commission-status.ts';
import { type AdjustmentResult, adjustCommission } from '../management/adjust-commission.ts';
import { approveCommission, rejectCommission } from '../management/commissions.ts';
import { type CommissionView, findCommission } from '../storage/money/commission-view.ts';
import { listCommissions, listCommissionsAfter } from '../storage/reads/commission-list.ts';
import {
  type CommissionTotal,
  type ProgramCommissionFilter,
  sumCommissions,
} from '../storage/reads/commission-totals.ts';
import type { CommissionState } from '../storage/reads/portal-commissions.ts';
import { formatAmount, replyWithCsv } from './csv-export.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithFound, replyWithItem, route } from './route.ts';
import { timeRangeOf } from './time-range.ts';

const COMMISSIONS_PATH = '/api/advertiser/affiliate-programs/:id/commissions';

/** The columns of the CSV files of commissions, both for the advertiser and for the partner. */
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

const COMMISSION_CSV_COLUMNS = [
  'id',
  'sale_id',
  'transaction_id',
  'sale_amount_cents',
  'partner_id',
  'partner_name',
  ...COMMISSION_COLUMNS,
  'subscription_id',
  'created_at',
  'sale_currency',
];

export const commissionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: COMMISSIONS_PATH,
    readsReplica: true,
    access: { kind: 'management', scope: 'commission:list', program: true },
    query: commissionsQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const { engine } = runtime;
      const page = rowRangeOf(query);
      const { commissions, total } = await listCommissions(
        engine,
        program.id,
        commissionFilterOf(query),
        query,
        page,
      );
      return replyWithList(commissions.map(toCommissionReply), query, total);
    },
  }),
  route({
    method: 'GET',
    path: `${COMMISSIONS_PATH}/totals`,
    readsReplica: true,
    access: { kind: 'management', scope: 'commission:list', program: true },
    query: commissionTotalsQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const totals = await sumCommissions(runtime.engine, program.id, commissionFilterOf(query));
      return { body: { success: true, data: totals.map(toCommissionTotalReply) } };
    },
  }),
  route({
    method: 'GET',
    path: `${COMMISSIONS_PATH}/:commissionId`,
    access: { kind: 'management', scope: 'commission:list', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithFound(
        await findCommission(runtime.engine.read, program.id, params.commissionId),
        toCommissionReply,
      ),
  }),
  route({
    method: 'GET',
    path: `${COMMISSIONS_PATH}.csv`,
    readsReplica: true,
    access: { kind: 'management', scope: 'commission:list', program: true },
    query: commissionsCsvQuery,
    handle: (runtime, { caller: { program }, query }) =>
      replyWithCsv(runtime, {
        name: `commissions-${program.slug}`,
        columns: COMMISSION_CSV_COLUMNS,
        owner: `workspace ${program.workspaceId}`,
        listCsvRows: async ({ engine }, { limit }, last: CommissionCsvRow | null) => {
          const filter = commissionFilterOf(query);
          const commissions = await listCommissionsAfter(engine, program.id, filter, query, last, limit);
          return commissions.map(toCommissionCsvRow);
        },
      }),
  }),
  route({
    method: 'POST',
    path: `${COMMISSIONS_PATH}/:commissionId/approve`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await approveCommission(runtime, program, params.commissionId), toCommissionReply),
  }),
  route({
    method: 'POST',
    path: `${COMMISSIONS_PATH}/:commissionId/reject`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await rejectCommission(runtime, program, params.commissionId), toCommissionReply),
  }),
  route({
    method: 'POST',
    path: `${COMMISSIONS_PATH}/:commissionId/adjust`,
    access: { kind: 'management', scope: 'commission:update', program: true },
    body: adjustCommissionRequest,
    handle: async (runtime, { caller: { program }, params, body }) =>
      replyWithItem(await adjustCommission(runtime, program, params.commissionId, body), toAdjustmentReply),
  }),
];

function commissionFilterOf(query: z.output<typeof commissionTotalsQuery>): ProgramCommissionFilter {
  const { q, status = null, partner_id: partnerId = null, payout_id: payoutId = null } = query;
  const isInReview = query.needs_approval === '1';
  return { q, status, partnerId, payoutId, isInReview, range: timeRangeOf(query) };
}

/** The totals of commissions with one status and currency. */
export function toCommissionTotalReply(total: CommissionTotal) {
  return {
    status: total.status,
    currency: total.currency,
    count: total.count,
    amount_cents: total.amountCents,
    deducted_cents: total.deductedCents,
    adjusted_cents: total.adjustedCents,
  };
}

function toAdjustmentReply({ commission, adjustment }: AdjustmentResult) {
  const { id, amount_cents, reason, created_at } = adjustment;
  return {
    ...toCommissionReply(commission),
    adjustment: { id, amount_cents, reason, created_at: isoTime(created_at) },
  };
}

type CommissionCsvRow = ReturnType<typeof toCommissionCsvRow>;

/**
 * `commission_at` is not a column of the file. The row contains it, because the next page of rows starts after
 * this value.
 */
function toCommissionCsvRow(commission: CommissionView) {
  const { commission_at } = commission;
  return { ...toCommissionReply(commission), commission_at, amount: formatAmount(commission) };
}

function toCommissionReply(commission: CommissionView) {
  return {
    id: commission.id,
    sale_id: commission.sale_id,
    transaction_id: commission.transaction_id,
    sale_amount_cents: commission.sale_amount_cents,
    sale_currency: commission.sale_currency,
    partner_id: commission.partner_id,
    partner_name: commission.partner_name,
    ...commissionReplyFields(commission),
    subscription_id: commission.subscription_id,
    created_at: isoTime(commission.created_at),
  };
}

/** The fields of a commission that its partner may see. They never include fields of the sale. */
export function commissionReplyFields(commission: CommissionState) {
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
