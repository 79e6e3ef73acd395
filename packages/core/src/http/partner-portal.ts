import { portalPartnersQuery } from '@affkit/protocol';
import { choosePortalPartners } from '../access/partner-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import type { PolicyTerms } from '../domain/commission.ts';
import { describeCommission } from '../domain/commission-text.ts';
import { isRejection } from '../rejection.ts';
import { type EnrollmentView, readPartnerEnrollments } from '../reporting/partner-portal.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import { toOfferReply } from './marketplace.ts';
import { partnerFigureFields } from './partners.ts';
import { PARTNER_ROUTE_ACCESS, partnerIdsOf } from './portal-selection.ts';
import { type Route, route } from './route.ts';

/**
 * The route that returns the partners of the signed-in user, with their programs. The reply contains only the
 * fields of a program that a partner may see.
 */
export const partnerPortalRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/partner/me',
    access: PARTNER_ROUTE_ACCESS,
    query: portalPartnersQuery,
    handle: async (runtime, { caller, query }) => {
      const partners = choosePortalPartners(caller, query.partner_id);
      if (isRejection(partners)) return partners;
      const enrollments = await readPartnerEnrollments(runtime, partnerIdsOf(partners));
      const rows = partners.map((partner) => toPortalPartnerReply(partner, enrollments));
      const delivery = runtime.mail === null ? 'none' : 'email';
      return {
        body: { success: true, user: caller.actor.user, email_delivery: delivery, partners: rows },
      };
    },
  }),
];

function toPortalPartnerReply(partner: UserPartner, enrollments: readonly EnrollmentView[]) {
  return {
    id: partner.id,
    name: partner.name,
    email: partner.email,
    workspace_id: partner.workspaceId,
    workspace_name: partner.workspaceName,
    programs: enrollments.filter(({ partnerId }) => partnerId === partner.id).map(toEnrollmentReply),
  };
}

/** An enrollment with the program data and figures that the partner may see. */
export function toEnrollmentReply({ program, figures, terms, ...enrollment }: EnrollmentView) {
  return {
    program_id: program.id,
    name: program.name,
    slug: program.slug,
    site_url: program.siteUrl,
    status: enrollment.status,
    status_reason: enrollment.statusReason,
    partner_program_id: enrollment.partnerProgramId,
    currency: program.currency,
    cookie_window_days: program.cookieWindowDays,
    ...partnerFigureFields(program.currency, figures),
    link_count: enrollment.linkCount,
    enrolled_at: isoTime(enrollment.createdAt),
    data_since: isoTime(enrollment.dataSince),
    payouts: {
      min_payout_cents: enrollment.minPayoutCents,
      schedule_day: program.payoutDay,
      next_at: isoTimeOrNull(enrollment.nextPayoutAt),
    },
    terms: toTermsReply(program, terms),
  };
}

function toTermsReply(program: EnrollmentView['program'], { commission, products }: EnrollmentView['terms']) {
  const toOffer = (terms: PolicyTerms) => {
    const { currency: _currency, ...offer } = { currency: '', ...toOfferReply(terms, program.currency) };
    return { ...offer, text: describeCommission(terms, program) };
  };
  return {
    hold_days: program.holdDays,
    commission: commission && toOffer(commission),
    products: products.map((terms) => ({ ...toOffer(terms), product_id: terms.productId })),
  };
}
