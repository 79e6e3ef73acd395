import { createPayoutsRequest, markPayoutPaidRequest } from '@affkit/protocol';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import type { PayoutStatus } from '../domain/payout-status.ts';
import { createPayouts } from '../management/create-payouts.ts';
import { cancelPayout, markPayoutPaid } from '../management/payouts.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import { listPayouts, type PayoutFilter, type PayoutView } from '../storage/money/payouts.ts';
import type { PortalPayout } from '../storage/reads/portal-payouts.ts';
import { readChoice, readQueryId, readRowId } from './fields.ts';
import { listAnswer, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { payoutsCsv } from './payouts-csv.ts';
import { itemAnswer, type Route, route } from './route.ts';

const PATH = '/api/advertiser/affiliate-programs/:id/payouts';
const STATUSES: readonly PayoutStatus[] = ['pending', 'paid', 'cancelled'];

export const payoutRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: { kind: 'management', scope: 'payout:list', program: true },
    handle: async (runtime, { caller: { program }, request }) => {
      const page = readPage(request.query);
      if (isRejection(page)) return page;
      const filter = readFilter(request.query);
      if (isRejection(filter)) return filter;
      const { payouts, total } = await listPayouts(runtime.engine.read, program.id, filter, page);
      return listAnswer(payouts.map(payoutRow), page, total);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    access: { kind: 'management', scope: 'payout:create', program: true },
    handle: async (runtime, { caller: { program }, body }) => {
      const order = parseBody(createPayoutsRequest, body);
      if (isRejection(order)) return order;
      const payouts = await createPayouts(runtime, program, order);
      if (isRejection(payouts)) return payouts;
      return { status: 201, body: { success: true, data: payouts.map(payoutRow) } };
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:payoutId/mark-paid`,
    access: { kind: 'management', scope: 'payout:update', program: true },
    handle: async (runtime, { caller: { program }, params, body }) => {
      const id = readRowId(params['payoutId']);
      if (isRejection(id)) return id;
      const input = parseBody(markPayoutPaidRequest, body);
      if (isRejection(input)) return input;
      return itemAnswer(await markPayoutPaid(runtime, program, id, input.reference ?? null), payoutRow);
    },
  }),
  route({
    method: 'POST',
    path: `${PATH}/:payoutId/cancel`,
    access: { kind: 'management', scope: 'payout:update', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const id = readRowId(params['payoutId']);
      return isRejection(id) ? id : itemAnswer(await cancelPayout(runtime, program, id), payoutRow);
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}.csv`,
    access: { kind: 'management', scope: 'payout:list', program: true },
    handle: async (runtime, { caller: { program }, request }) => {
      const filter = readFilter(request.query);
      if (isRejection(filter)) return filter;
      return {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="payouts-${program.slug}.csv"`,
        },
        body: await payoutsCsv(runtime, program.id, filter),
      };
    },
  }),
];

function readFilter(query: URLSearchParams): PayoutFilter | Rejection {
  const status = readPayoutStatus(query);
  if (isRejection(status)) return status;
  const partnerId = readQueryId(query, 'partner_id');
  return isRejection(partnerId) ? partnerId : { status, partnerId: partnerId ?? null };
}

/** `status` of a list of payouts; null where it names none. */
export function readPayoutStatus(query: URLSearchParams): PayoutStatus | null | Rejection {
  return readChoice(query, 'status', STATUSES);
}

function payoutRow(payout: PayoutView) {
  return {
    ...payoutFields(payout),
    partner_name: payout.partner_name,
    partner_email: payout.partner_email,
  };
}

/** A payout as both the advertiser and its partner see it. */
export function payoutFields(payout: PortalPayout) {
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
