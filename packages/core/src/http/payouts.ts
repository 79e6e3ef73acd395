import { createPayoutsRequest, markPayoutPaidRequest, payoutsCsvQuery, payoutsQuery } from '@affkit/protocol';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { createPayouts } from '../management/create-payouts.ts';
import { cancelPayout, markPayoutPaid } from '../management/payouts.ts';
import { isRejection } from '../rejection.ts';
import { findPayout, type PayoutView } from '../storage/money/payouts.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { listPayouts, type PayoutListQuery } from '../storage/reads/payout-list.ts';
import type { PortalPayout } from '../storage/reads/portal-payouts.ts';
import { type CsvExport, formatAmount, replyWithCsv } from './csv-export.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithFound, replyWithItem, route } from './route.ts';
import { timeRangeOf } from './time-range.ts';

const PAYOUTS_PATH = '/api/advertiser/affiliate-programs/:id/payouts';

export const payoutRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PAYOUTS_PATH,
    readsReplica: true,
    access: { kind: 'management', scope: 'payout:list', program: true },
    query: payoutsQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const filter = { ...query, range: timeRangeOf(query) };
      const { payouts, total } = await listPayouts(runtime.engine, program.id, filter, rowRangeOf(query));
      return replyWithList(payouts.map(toPayoutReply), query, total);
    },
  }),
  route({
    method: 'POST',
    path: PAYOUTS_PATH,
    access: { kind: 'management', scope: 'payout:create', program: true },
    body: createPayoutsRequest,
    handle: async (runtime, { caller: { program }, body }) => {
      const payouts = await createPayouts(runtime, program, body);
      if (isRejection(payouts)) return payouts;
      return { status: 201, body: { success: true, data: payouts.map(toPayoutReply) } };
    },
  }),
  route({
    method: 'GET',
    path: `${PAYOUTS_PATH}/:payoutId`,
    access: { kind: 'management', scope: 'payout:list', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithFound(await findPayout(runtime.engine.read, program.id, params.payoutId), toPayoutReply),
  }),
  route({
    method: 'POST',
    path: `${PAYOUTS_PATH}/:payoutId/mark-paid`,
    access: { kind: 'management', scope: 'payout:update', program: true },
    body: markPayoutPaidRequest,
    handle: async (runtime, { caller: { program }, params, body }) => {
      const { reference = null, expected_amount_cents: expectedCents } = body;
      const payout = await markPayoutPaid(runtime, program, params.payoutId, { reference, expectedCents });
      return replyWithItem(payout, toPayoutReply);
    },
  }),
  route({
    method: 'POST',
    path: `${PAYOUTS_PATH}/:payoutId/cancel`,
    access: { kind: 'management', scope: 'payout:update', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await cancelPayout(runtime, program, params.payoutId), toPayoutReply),
  }),
  route({
    method: 'GET',
    path: `${PAYOUTS_PATH}.csv`,
    readsReplica: true,
    access: { kind: 'management', scope: 'payout:list', program: true },
    query: payoutsCsvQuery,
    handle: (runtime, { caller: { program }, query }) =>
      replyWithCsv(runtime, payoutsCsv(program, { ...query, range: timeRangeOf(query) })),
  }),
];

/** The columns of the CSV files of payouts, both for the advertiser and for the partner. */
export const PAYOUT_CSV_COLUMNS = [
  'currency',
  'status',
  'amount_cents',
  'amount',
  'commissions',
  'reference',
  'ledger_position',
  'ledger_hash',
  'created_at',
  'paid_at',
  'cancelled_at',
] as const;

/** Exports the payouts of a program as CSV. Amounts are in minor and major units. */
export function payoutsCsv(
  program: Pick<ProgramAccount, 'id' | 'slug' | 'workspaceId'>,
  query: PayoutListQuery,
): CsvExport {
  return {
    name: `payouts-${program.slug}`,
    columns: ['id', 'partner_id', 'partner_name', 'partner_email', ...PAYOUT_CSV_COLUMNS],
    owner: `workspace ${program.workspaceId}`,
    listCsvRows: async ({ engine }, range) => {
      const { payouts } = await listPayouts(engine, program.id, query, range);
      return payouts.map((payout) => ({ ...toPayoutReply(payout), amount: formatAmount(payout) }));
    },
  };
}

export function toPayoutReply(payout: PayoutView) {
  return {
    ...payoutReplyFields(payout),
    partner_name: payout.partner_name,
    partner_email: payout.partner_email,
    batch_id: payout.batch_id,
    details_changed_at: isoTimeOrNull(payout.details_changed_at),
  };
}

/** The fields of a payout that both the advertiser and the partner may see. */
export function payoutReplyFields(payout: PortalPayout) {
  return {
    id: payout.id,
    partner_id: payout.partner_id,
    currency: payout.currency,
    status: payout.status,
    amount_cents: payout.amount_cents,
    commissions: payout.commissions,
    reference: payout.reference,
    ledger_position: payout.chain_position,
    ledger_hash: payout.chain_hash,
    created_at: isoTime(payout.created_at),
    paid_at: isoTimeOrNull(payout.paid_at),
    cancelled_at: isoTimeOrNull(payout.cancelled_at),
  };
}
