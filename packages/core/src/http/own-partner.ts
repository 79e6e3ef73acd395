import type { PartnerCaller } from '../access/access.ts';
import { choosePartners } from '../access/partner-choice.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import { type EnrolmentView, readOwnEnrolments } from '../reporting/own-partner.ts';
import { listOwnLinks } from '../storage/links.ts';
import { type CommissionState, listOwnCommissions } from '../storage/own-commissions.ts';
import { listOwnEnrolments, listOwnProgramIds } from '../storage/own-enrolments.ts';
import { listOwnPayouts } from '../storage/own-payouts.ts';
import type { OwnPartner } from '../storage/people.ts';
import { readCommissionFilter } from './commission-filter.ts';
import { commissionFields } from './commissions.ts';
import { readQueryId } from './fields.ts';
import { linkRow } from './links.ts';
import { pageMeta, readPage } from './pagination.ts';
import { figureFields } from './partners.ts';
import { payoutFields, readPayoutStatus } from './payouts.ts';
import { type Route, route } from './route.ts';

const PARTNER = { kind: 'partner' } as const;

/** What a partner sees: its own rows, and of a program no more than it needs. */
export const ownPartnerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/partner/me',
    access: PARTNER,
    handle: async (runtime, { caller, request }) => {
      const partners = readPartners(caller, request.query);
      if (isRejection(partners)) return partners;
      const enrolments = await readOwnEnrolments(runtime, idsOf(partners));
      const rows = partners.map((partner) => ownPartnerRow(partner, enrolments));
      return { body: { success: true, user: caller.actor.user, partners: rows } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/links',
    access: PARTNER,
    handle: async (runtime, { caller, request }) => {
      const page = readPage(request.query);
      if (isRejection(page)) return page;
      const partners = readPartners(caller, request.query);
      if (isRejection(partners)) return partners;
      const { read } = runtime.engine;
      const partnerIds = idsOf(partners);
      const enrolments = await listOwnEnrolments(read, partnerIds);
      const programs = new Map(enrolments.map(({ program }) => [program.id, program]));
      const selection = { programIds: [...programs.keys()], partnerIds };
      const { links, total } = await listOwnLinks(read, selection, page);
      const data = links.flatMap((link) => {
        const program = programs.get(link.programId);
        return program ? [{ ...linkRow(program, link), program_id: program.id }] : [];
      });
      return { body: { success: true, data, meta: pageMeta(page, total) } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/commissions',
    access: PARTNER,
    handle: async (runtime, { caller, request: { query } }) => {
      const page = readPage(query);
      if (isRejection(page)) return page;
      const partners = readPartners(caller, query);
      if (isRejection(partners)) return partners;
      const filter = readCommissionFilter(query);
      if (isRejection(filter)) return filter;
      const programId = readQueryId(query, 'program_id');
      if (isRejection(programId)) return programId;
      const { read } = runtime.engine;
      const partnerIds = idsOf(partners);
      const programIds = programId === undefined ? await listOwnProgramIds(read, partnerIds) : [programId];
      const { commissions, total } = await listOwnCommissions(read, { programIds, partnerIds }, filter, page);
      return {
        body: { success: true, data: commissions.map(ownCommissionRow), meta: pageMeta(page, total) },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/payouts',
    access: PARTNER,
    handle: async (runtime, { caller, request: { query } }) => {
      const page = readPage(query);
      if (isRejection(page)) return page;
      const partners = readPartners(caller, query);
      if (isRejection(partners)) return partners;
      const status = readPayoutStatus(query);
      if (isRejection(status)) return status;
      const programId = readQueryId(query, 'program_id');
      if (isRejection(programId)) return programId;
      const { read } = runtime.engine;
      const partnerIds = idsOf(partners);
      const programIds = programId === undefined ? await listOwnProgramIds(read, partnerIds) : [programId];
      const { payouts, total } = await listOwnPayouts(read, { programIds, partnerIds }, status, page);
      const data = payouts.map((payout) => ({ ...payoutFields(payout), program_id: payout.program_id }));
      return { body: { success: true, data, meta: pageMeta(page, total) } };
    },
  }),
];

/** The partners that a list covers, by its query. */
export function readPartners(
  caller: PartnerCaller,
  query: URLSearchParams,
): readonly OwnPartner[] | Rejection {
  const named = readQueryId(query, 'partner_id');
  return isRejection(named) ? named : choosePartners(caller, named);
}

function idsOf(partners: readonly OwnPartner[]): number[] {
  return partners.map((partner) => partner.id);
}

function ownCommissionRow(commission: CommissionState) {
  const { id, program_id, partner_id } = commission;
  return { id, program_id, partner_id, ...commissionFields(commission) };
}

function ownPartnerRow(partner: OwnPartner, enrolments: readonly EnrolmentView[]) {
  return {
    id: partner.id,
    name: partner.name,
    email: partner.email,
    workspace_id: partner.workspaceId,
    workspace_name: partner.workspaceName,
    programs: enrolments.filter(({ partnerId }) => partnerId === partner.id).map(enrolmentRow),
  };
}

function enrolmentRow({ program, figures, ...enrolment }: EnrolmentView) {
  return {
    program_id: program.id,
    name: program.name,
    slug: program.slug,
    site_url: program.siteUrl,
    status: enrolment.status,
    partner_program_id: enrolment.partnerProgramId,
    currency: program.currency,
    cookie_window_days: program.cookieWindowDays,
    ...figureFields(program.currency, figures),
    link_count: enrolment.linkCount,
  };
}
