import {
  portalCommissionsCsvQuery,
  portalCommissionsQuery,
  portalCommissionTotalsQuery,
} from '@affkit/protocol';
import type { z } from 'zod';
import {
  type CommissionState,
  findPortalCommission,
  listPortalCommissions,
  listPortalCommissionsAfter,
  type PortalCommissionFilter,
  sumPortalCommissions,
} from '../storage/reads/portal-commissions.ts';
import { COMMISSION_COLUMNS, commissionReplyFields, toCommissionTotalReply } from './commissions.ts';
import { formatAmount, replyWithCsv } from './csv-export.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { authorizePartners, PARTNER_ROUTE_ACCESS, selectPortalRows } from './portal-selection.ts';
import { type Route, replyWithFound, route } from './route.ts';
import { timeRangeOf } from './time-range.ts';

const COMMISSIONS_PATH = '/api/partner/commissions';

/** The routes for the partner's commissions, including those of deleted programs. */
export const portalCommissionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: COMMISSIONS_PATH,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    authorize: authorizePartners,
    query: portalCommissionsQuery,
    handle: async (runtime, { resource: partners, query }) => {
      const { commissions, total } = await listPortalCommissions(
        runtime.engine,
        await selectPortalRows(runtime, partners, query.program_id),
        commissionFilterOf(query),
        rowRangeOf(query),
      );
      return replyWithList(commissions.map(toPortalCommissionReply), query, total);
    },
  }),
  route({
    method: 'GET',
    path: `${COMMISSIONS_PATH}/totals`,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    authorize: authorizePartners,
    query: portalCommissionTotalsQuery,
    handle: async (runtime, { resource: partners, query }) => {
      const selection = await selectPortalRows(runtime, partners, query.program_id);
      const totals = await sumPortalCommissions(runtime.engine.read, selection, commissionFilterOf(query));
      return { body: { success: true, data: totals.map(toCommissionTotalReply) } };
    },
  }),
  route({
    method: 'GET',
    path: `${COMMISSIONS_PATH}/:commissionId`,
    access: PARTNER_ROUTE_ACCESS,
    handle: async (runtime, { caller: { partners }, params }) => {
      const selection = await selectPortalRows(runtime, partners);
      const commission = await findPortalCommission(runtime.engine.read, selection, params.commissionId);
      return replyWithFound(commission, toPortalCommissionReply);
    },
  }),
  route({
    method: 'GET',
    path: `${COMMISSIONS_PATH}.csv`,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    authorize: authorizePartners,
    query: portalCommissionsCsvQuery,
    handle: async (runtime, { caller, resource: partners, query }) => {
      const selection = await selectPortalRows(runtime, partners, query.program_id);
      const filter = commissionFilterOf(query);
      return await replyWithCsv(runtime, {
        name: 'commissions',
        columns: ['id', 'program_id', 'partner_id', ...COMMISSION_COLUMNS],
        owner: `user ${caller.actor.user.id}`,
        listCsvRows: async ({ engine }, { limit }, last: { readonly id: number } | null) => {
          const lastId = last?.id ?? null;
          const commissions = await listPortalCommissionsAfter(engine, selection, filter, lastId, limit);
          return commissions
            .map(toPortalCommissionReply)
            .map((row) => ({ ...row, amount: formatAmount(row) }));
        },
      });
    },
  }),
];

function commissionFilterOf(query: z.output<typeof portalCommissionTotalsQuery>): PortalCommissionFilter {
  const { q, status = null, payout_id: payoutId = null } = query;
  return { q, status, payoutId, range: timeRangeOf(query) };
}

export function toPortalCommissionReply(commission: CommissionState) {
  const { id, program_id, partner_id } = commission;
  return { id, program_id, partner_id, ...commissionReplyFields(commission) };
}
