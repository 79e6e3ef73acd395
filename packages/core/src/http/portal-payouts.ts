import { portalPayoutsCsvQuery, portalPayoutsQuery } from '@affkit/protocol';
import type { Payee } from '../access/sealed-payout-details.ts';
import { readPayee } from '../management/payout-details.ts';
import {
  findPortalPayout,
  listPortalPayouts,
  listPortalPayoutsAfter,
  type PortalPayout,
  type PortalPayoutDetail,
} from '../storage/reads/portal-payouts.ts';
import { formatAmount, replyWithCsv } from './csv-export.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { PAYOUT_CSV_COLUMNS, payoutReplyFields } from './payouts.ts';
import { authorizePartners, PARTNER_ROUTE_ACCESS, selectPortalRows } from './portal-selection.ts';
import { type Route, replyWithFound, route } from './route.ts';

const PAYOUTS_PATH = '/api/partner/payouts';

/** The routes for the partner's payouts, including those of deleted programs. */
export const portalPayoutRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PAYOUTS_PATH,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    authorize: authorizePartners,
    query: portalPayoutsQuery,
    handle: async (runtime, { resource: partners, query }) => {
      const { payouts, total } = await listPortalPayouts(
        runtime.engine.read,
        await selectPortalRows(runtime, partners, query.program_id),
        query.status ?? null,
        rowRangeOf(query),
      );
      return replyWithList(payouts.map(toPortalPayoutReply), query, total);
    },
  }),
  route({
    method: 'GET',
    path: `${PAYOUTS_PATH}/:payoutId`,
    access: PARTNER_ROUTE_ACCESS,
    handle: async (runtime, { caller: { partners }, params }) => {
      const selection = await selectPortalRows(runtime, partners);
      const detail = await findPortalPayout(runtime.engine.read, selection, params.payoutId);
      const payee = detail && (await readPayee(runtime, detail.payout));
      return replyWithFound(detail, (found) => toPortalPayoutDetailReply(found, payee));
    },
  }),
  route({
    method: 'GET',
    path: `${PAYOUTS_PATH}.csv`,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    authorize: authorizePartners,
    query: portalPayoutsCsvQuery,
    handle: async (runtime, { caller, resource: partners, query }) => {
      const selection = await selectPortalRows(runtime, partners, query.program_id);
      const { status = null } = query;
      return await replyWithCsv(runtime, {
        name: 'payouts',
        columns: ['id', 'program_id', 'partner_id', ...PAYOUT_CSV_COLUMNS],
        owner: `user ${caller.actor.user.id}`,
        listCsvRows: async ({ engine }, { limit }, last: { readonly id: number } | null) => {
          const lastId = last?.id ?? null;
          const payouts = await listPortalPayoutsAfter(engine.read, selection, status, lastId, limit);
          return payouts.map(toPortalPayoutReply).map((row) => ({ ...row, amount: formatAmount(row) }));
        },
      });
    },
  }),
];

export function toPortalPayoutReply(payout: PortalPayout) {
  return { ...payoutReplyFields(payout), program_id: payout.program_id };
}

export function toPayeeReply({ method, tax_name, tax_id, address }: Payee): Payee {
  return { method, tax_name, tax_id, address };
}

function toPortalPayoutDetailReply({ payout, ...names }: PortalPayoutDetail, payee: Payee | null) {
  return {
    ...toPortalPayoutReply(payout),
    program_name: names.programName,
    workspace_name: names.workspaceName,
    partner_name: names.partnerName,
    partner_email: names.partnerEmail,
    payee: payee && toPayeeReply(payee),
  };
}
