import { portalBalancesQuery, portalSeriesQuery } from '@affkit/protocol';
import { choosePortalPartners } from '../access/partner-choice.ts';
import { isoTimeOrNull } from '../domain/calendar.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { readPortalSeries } from '../reporting/portal-figures.ts';
import { listPartnerAmounts, type PartnerAmounts } from '../storage/reads/partner-amounts.ts';
import { listPartnerEnrollments } from '../storage/reads/partner-enrollments.ts';
import { PARTNER_ROUTE_ACCESS, partnerIdsOf, selectPortalRows } from './portal-selection.ts';
import { type Route, route } from './route.ts';

/** The routes for the balances and daily figures of a partner. */
export const portalFigureRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/partner/balances',
    access: PARTNER_ROUTE_ACCESS,
    query: portalBalancesQuery,
    handle: async (runtime, { caller, query }) => {
      const partners = choosePortalPartners(caller, query.partner_id);
      if (isRejection(partners)) return partners;
      const { programIds, partnerIds } = await selectPortalRows(runtime, partners, query.program_id);
      const { read } = runtime.engine;
      const balances: PartnerAmounts[] = [];
      for (const programId of programIds.toSorted((a, b) => a - b))
        balances.push(...(await listPartnerAmounts(read, programId, partnerIds, runtime.now())));
      return { body: { success: true, data: balances.map(toBalanceReply) } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/series',
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    query: portalSeriesQuery,
    handle: async (runtime, { caller, query }) => {
      const partnerIds = partnerIdsOf(caller.partners);
      const enrollments = await listPartnerEnrollments(runtime.engine.read, partnerIds);
      const enrollment = enrollments.find(({ program }) => program.id === query.program_id);
      if (!enrollment) return new Rejection('not_found');
      const series = await readPortalSeries(runtime, enrollment.program, enrollment.partnerId, query);
      return isRejection(series) ? series : { body: { success: true, ...series } };
    },
  }),
];

function toBalanceReply(balance: PartnerAmounts) {
  return {
    program_id: balance.programId,
    partner_id: balance.partnerId,
    currency: balance.currency,
    pending_cents: balance.pendingCents,
    on_hold_cents: balance.onHoldCents,
    payable_cents: balance.payableCents,
    to_deduct_cents: balance.toDeductCents,
    in_payout_cents: balance.inPayoutCents,
    paid_cents: balance.paidCents,
    balance_cents: balance.balanceCents,
    next_release_at: isoTimeOrNull(balance.nextReleaseAt),
  };
}
