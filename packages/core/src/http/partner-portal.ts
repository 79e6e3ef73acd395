import type { PartnerCaller } from '../access/access.ts';
import { choosePartners } from '../access/partner-choice.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import { type EnrollmentView, readPartnerEnrollments } from '../reporting/partner-portal.ts';
import type { Runtime } from '../runtime.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import { listPartnerLinks } from '../storage/programs/links.ts';
import { listPartnerEnrollments, listPartnerProgramIds } from '../storage/reads/partner-enrollments.ts';
import { type CommissionState, listPortalCommissions } from '../storage/reads/portal-commissions.ts';
import { listPortalPayouts } from '../storage/reads/portal-payouts.ts';
import { readCommissionFilter } from './commission-filter.ts';
import { commissionFields } from './commissions.ts';
import { readQueryId } from './fields.ts';
import { linkRow } from './links.ts';
import { listAnswer, type Page, readPage } from './pagination.ts';
import { figureFields } from './partners.ts';
import { payoutFields, readPayoutStatus } from './payouts.ts';
import { type Route, route } from './route.ts';

const PARTNER = { kind: 'partner' } as const;

/** What a partner sees: its own rows, and of a program no more than it needs. */
export const partnerPortalRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/partner/me',
    access: PARTNER,
    handle: async (runtime, { caller, request }) => {
      const partners = readPartners(caller, request.query);
      if (isRejection(partners)) return partners;
      const enrollments = await readPartnerEnrollments(runtime, idsOf(partners));
      const rows = partners.map((partner) => portalPartnerRow(partner, enrollments));
      return { body: { success: true, user: caller.actor.user, partners: rows } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/links',
    access: PARTNER,
    handle: async (runtime, { caller, request }) => {
      const asked = readPortalPage(caller, request.query);
      if (isRejection(asked)) return asked;
      const { page, partners } = asked;
      const { read } = runtime.engine;
      const partnerIds = idsOf(partners);
      const enrollments = await listPartnerEnrollments(read, partnerIds);
      const programs = new Map(enrollments.map(({ program }) => [program.id, program]));
      const selection = { programIds: [...programs.keys()], partnerIds };
      const { links, total } = await listPartnerLinks(read, selection, page);
      const data = links.flatMap((link) => {
        const program = programs.get(link.programId);
        return program ? [{ ...linkRow(program, link), program_id: program.id }] : [];
      });
      return listAnswer(data, page, total);
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/commissions',
    access: PARTNER,
    handle: async (runtime, { caller, request: { query } }) => {
      const list = await readPortalList(runtime, caller, query, readCommissionFilter);
      if (isRejection(list)) return list;
      const { page, selection, filter } = list;
      const { commissions, total } = await listPortalCommissions(
        runtime.engine.read,
        selection,
        filter,
        page,
      );
      return listAnswer(commissions.map(portalCommissionRow), page, total);
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/payouts',
    access: PARTNER,
    handle: async (runtime, { caller, request: { query } }) => {
      const list = await readPortalList(runtime, caller, query, readPayoutStatus);
      if (isRejection(list)) return list;
      const { page, selection, filter } = list;
      const { payouts, total } = await listPortalPayouts(runtime.engine.read, selection, filter, page);
      const data = payouts.map((payout) => ({ ...payoutFields(payout), program_id: payout.program_id }));
      return listAnswer(data, page, total);
    },
  }),
];

/** The page of a list and the partners that it covers, by its query. */
export function readPortalPage(
  caller: PartnerCaller,
  query: URLSearchParams,
): { page: Page; partners: readonly UserPartner[] } | Rejection {
  const page = readPage(query);
  if (isRejection(page)) return page;
  const partners = readPartners(caller, query);
  return isRejection(partners) ? partners : { page, partners };
}

/** What a list over programs covers: deleted ones too, or the one that its query names. */
async function readPortalList<Filter>(
  runtime: Runtime,
  caller: PartnerCaller,
  query: URLSearchParams,
  readFilter: (query: URLSearchParams) => Filter | Rejection,
) {
  const asked = readPortalPage(caller, query);
  if (isRejection(asked)) return asked;
  const filter = readFilter(query);
  if (isRejection(filter)) return filter;
  const programId = readQueryId(query, 'program_id');
  if (isRejection(programId)) return programId;
  const partnerIds = idsOf(asked.partners);
  const programIds =
    programId === undefined ? await listPartnerProgramIds(runtime.engine.read, partnerIds) : [programId];
  return { page: asked.page, filter, selection: { programIds, partnerIds } };
}

function readPartners(caller: PartnerCaller, query: URLSearchParams): readonly UserPartner[] | Rejection {
  const named = readQueryId(query, 'partner_id');
  return isRejection(named) ? named : choosePartners(caller, named);
}

function idsOf(partners: readonly UserPartner[]): number[] {
  return partners.map((partner) => partner.id);
}

function portalCommissionRow(commission: CommissionState) {
  const { id, program_id, partner_id } = commission;
  return { id, program_id, partner_id, ...commissionFields(commission) };
}

function portalPartnerRow(partner: UserPartner, enrollments: readonly EnrollmentView[]) {
  return {
    id: partner.id,
    name: partner.name,
    email: partner.email,
    workspace_id: partner.workspaceId,
    workspace_name: partner.workspaceName,
    programs: enrollments.filter(({ partnerId }) => partnerId === partner.id).map(enrollmentRow),
  };
}

function enrollmentRow({ program, figures, ...enrollment }: EnrollmentView) {
  return {
    program_id: program.id,
    name: program.name,
    slug: program.slug,
    site_url: program.siteUrl,
    status: enrollment.status,
    partner_program_id: enrollment.partnerProgramId,
    currency: program.currency,
    cookie_window_days: program.cookieWindowDays,
    ...figureFields(program.currency, figures),
    link_count: enrollment.linkCount,
  };
}
