import { createPayoutsRequest, payPayoutRequest } from '@affkit/protocol';
import { csvRecord } from '../domain/csv.ts';
import { toMajorUnits } from '../domain/money.ts';
import type { PayoutStatus } from '../domain/payout.ts';
import { cancelPayout, createPayouts, payPayout } from '../management/payouts.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { listPayouts, type PayoutFilter, type PayoutView, pagesOfPayouts } from '../storage/payout-list.ts';
import { isoTime, isoTimeOrNull, readQueryId, readRowId } from './fields.ts';
import { pageMeta, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { type Answer, type Route, route } from './route.ts';

const P = '/api/advertiser/affiliate-programs/:id';
const CSV_PAGE = 1_000;
const STATUSES: readonly PayoutStatus[] = ['pending', 'paid', 'cancelled'];

export const payoutRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${P}/payouts`,
    access: { kind: 'management', scope: 'payout:list', program: true },
    handle: async (runtime, { caller: { program }, request: { query } }) => {
      const page = readPage(query);
      if (isRejection(page)) return page;
      const filter = readFilter(program.id, query);
      if (isRejection(filter)) return filter;
      const { payouts, total } = await listPayouts(runtime.engine.read, filter, page);
      return { body: { success: true, data: payouts.map(payoutRow), meta: pageMeta(page, total) } };
    },
  }),
  route({
    method: 'GET',
    path: `${P}/payouts.csv`,
    access: { kind: 'management', scope: 'payout:list', program: true },
    handle: async (runtime, { caller: { program }, request: { query } }) => {
      const filter = readFilter(program.id, query);
      if (isRejection(filter)) return filter;
      const records = [csvRecord(COLUMNS)];
      for await (const page of pagesOfPayouts(runtime.engine.read, filter, CSV_PAGE)) {
        records.push(page.map(payoutRecord).join(''));
      }
      return {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${program.slug}-payouts.csv"`,
        },
        body: records.join(''),
      };
    },
  }),
  route({
    method: 'POST',
    path: `${P}/payouts`,
    access: { kind: 'management', scope: 'payout:create', program: true },
    handle: async (runtime, { caller: { program }, body }) => {
      const input = parseBody(createPayoutsRequest, body);
      if (isRejection(input)) return input;
      const made = await createPayouts(runtime, program, input);
      return isRejection(made) ? made : { status: 201, body: { success: true, data: made.map(payoutRow) } };
    },
  }),
  route({
    method: 'POST',
    path: `${P}/payouts/:payoutId/mark-paid`,
    access: { kind: 'management', scope: 'payout:update', program: true },
    handle: async (runtime, { caller: { program }, params, body }) => {
      const id = readRowId(params['payoutId']);
      if (isRejection(id)) return id;
      const input = parseBody(payPayoutRequest, body);
      return isRejection(input) ? input : payoutAnswer(await payPayout(runtime, program, id, input));
    },
  }),
  route({
    method: 'POST',
    path: `${P}/payouts/:payoutId/cancel`,
    access: { kind: 'management', scope: 'payout:update', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const id = readRowId(params['payoutId']);
      return isRejection(id) ? id : payoutAnswer(await cancelPayout(runtime, program, id));
    },
  }),
];

function readFilter(programId: number, query: URLSearchParams): PayoutFilter | Rejection {
  const partnerId = readQueryId(query, 'partner_id');
  if (isRejection(partnerId)) return partnerId;
  const status = readPayoutStatus(query);
  if (isRejection(status)) return status;
  return { programIds: [programId], partnerIds: partnerId === undefined ? null : [partnerId], status };
}

/** `status` of a list of payouts; null where it names none. */
export function readPayoutStatus(query: URLSearchParams): PayoutStatus | null | Rejection {
  const asked = query.get('status') || null;
  const status = STATUSES.find((known) => known === asked) ?? null;
  return asked === null || status !== null
    ? status
    : new Rejection('invalid_field', `status must be one of ${STATUSES.join(', ')}`);
}

function payoutAnswer(payout: PayoutView | Rejection): Answer | Rejection {
  return isRejection(payout) ? payout : { body: { success: true, data: payoutRow(payout) } };
}

function payoutRow(payout: PayoutView) {
  return {
    ...payoutFields(payout),
    partner_name: payout.partner_name,
    partner_email: payout.partner_email,
  };
}

/** A payout as both the advertiser and its partner see it. */
export function payoutFields(payout: PayoutView) {
  return {
    id: payout.id,
    partner_id: payout.partner_id,
    currency: payout.currency,
    status: payout.status,
    amount_cents: payout.amount_cents,
    commission_count: payout.commission_count,
    reference: payout.reference,
    ledger_position: payout.chain_position,
    ledger_hash: payout.chain_hash,
    created_at: isoTime(payout.created_at),
    paid_at: isoTimeOrNull(payout.paid_at),
    cancelled_at: isoTimeOrNull(payout.cancelled_at),
  };
}

const COLUMNS = [
  'id',
  'partner_id',
  'partner_name',
  'partner_email',
  'status',
  'currency',
  'amount',
  'amount_cents',
  'commission_count',
  'reference',
  'created_at',
  'paid_at',
  'cancelled_at',
  'ledger_position',
  'ledger_hash',
] as const;

function payoutRecord(payout: PayoutView): string {
  const amount = toMajorUnits(payout.amount_cents, payout.currency);
  const cells = { ...payoutRow(payout), amount };
  return csvRecord(COLUMNS.map((column) => cells[column]));
}
