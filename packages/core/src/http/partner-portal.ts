import {
  portalCommissionsCsvQuery,
  portalCommissionsQuery,
  portalPageQuery,
  portalPartnersQuery,
  portalPayoutsCsvQuery,
  portalPayoutsQuery,
} from '@affkit/protocol';
import type { PartnerCaller } from '../access/access.ts';
import { choosePortalPartners } from '../access/partner-choice.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import { type EnrollmentView, readPartnerEnrollments } from '../reporting/partner-portal.ts';
import type { Runtime } from '../runtime.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import { listPartnerLinks } from '../storage/programs/links.ts';
import { listPartnerEnrollments, listPartnerProgramIds } from '../storage/reads/partner-enrollments.ts';
import { type CommissionState, listPortalCommissions } from '../storage/reads/portal-commissions.ts';
import { listPortalPayouts, type PortalPayout } from '../storage/reads/portal-payouts.ts';
import { COMMISSION_COLUMNS, commissionReplyFields } from './commissions.ts';
import { formatAmount, replyWithCsv } from './csv-export.ts';
import { toLinkReply } from './links.ts';
import type { HttpRequest } from './message.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { parse, queryFields } from './parse.ts';
import { partnerFigureFields } from './partners.ts';
import { PAYOUT_CSV_COLUMNS, payoutReplyFields } from './payouts.ts';
import { type Route, route } from './route.ts';
import { timeRangeOf } from './time-range.ts';

const PARTNER_ROUTE_ACCESS = { kind: 'partner' } as const;

/** The routes of the partner portal. Partners see only their own rows, and only some fields of a program. */
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
      return { body: { success: true, user: caller.actor.user, partners: rows } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/links',
    access: PARTNER_ROUTE_ACCESS,
    query: portalPageQuery,
    handle: async (runtime, { caller, query }) => {
      const partners = choosePortalPartners(caller, query.partner_id);
      if (isRejection(partners)) return partners;
      const { read } = runtime.engine;
      const partnerIds = partnerIdsOf(partners);
      const enrollments = await listPartnerEnrollments(read, partnerIds);
      const programs = new Map(enrollments.map(({ program }) => [program.id, program]));
      const selection = { programIds: [...programs.keys()], partnerIds };
      const { links, total } = await listPartnerLinks(read, selection, rowRangeOf(query));
      const data = links.flatMap((link) => {
        const program = programs.get(link.programId);
        return program ? [{ ...toLinkReply(program, link), program_id: program.id }] : [];
      });
      return replyWithList(data, query, total);
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/commissions',
    access: PARTNER_ROUTE_ACCESS,
    authorize: authorizePartners,
    query: portalCommissionsQuery,
    handle: async (runtime, { resource: partners, query }) => {
      const selection = await listPortalRows(runtime, partners, query.program_id);
      const { read } = runtime.engine;
      const filter = { status: query.status ?? null, range: timeRangeOf(query) };
      const { commissions, total } = await listPortalCommissions(read, selection, filter, rowRangeOf(query));
      return replyWithList(commissions.map(toPortalCommissionReply), query, total);
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/commissions.csv',
    access: PARTNER_ROUTE_ACCESS,
    authorize: authorizePartners,
    query: portalCommissionsCsvQuery,
    handle: async (runtime, { caller, resource: partners, query }) => {
      const selection = await listPortalRows(runtime, partners, query.program_id);
      const filter = { status: query.status ?? null, range: timeRangeOf(query) };
      return await replyWithCsv(runtime, {
        name: 'commissions',
        columns: ['id', 'program_id', 'partner_id', ...COMMISSION_COLUMNS],
        owner: `user ${caller.actor.user.id}`,
        listCsvRows: async ({ engine }, range) => {
          const { commissions } = await listPortalCommissions(engine.read, selection, filter, range);
          return commissions
            .map(toPortalCommissionReply)
            .map((row) => ({ ...row, amount: formatAmount(row) }));
        },
      });
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/payouts',
    access: PARTNER_ROUTE_ACCESS,
    authorize: authorizePartners,
    query: portalPayoutsQuery,
    handle: async (runtime, { resource: partners, query }) => {
      const selection = await listPortalRows(runtime, partners, query.program_id);
      const { read } = runtime.engine;
      const { payouts, total } = await listPortalPayouts(
        read,
        selection,
        query.status ?? null,
        rowRangeOf(query),
      );
      return replyWithList(payouts.map(toPortalPayoutReply), query, total);
    },
  }),
  route({
    method: 'GET',
    path: '/api/partner/payouts.csv',
    access: PARTNER_ROUTE_ACCESS,
    authorize: authorizePartners,
    query: portalPayoutsCsvQuery,
    handle: async (runtime, { caller, resource: partners, query }) => {
      const selection = await listPortalRows(runtime, partners, query.program_id);
      const { status = null } = query;
      return await replyWithCsv(runtime, {
        name: 'payouts',
        columns: ['id', 'program_id', 'partner_id', ...PAYOUT_CSV_COLUMNS],
        owner: `user ${caller.actor.user.id}`,
        listCsvRows: async ({ engine }, range) => {
          const { payouts } = await listPortalPayouts(engine.read, selection, status, range);
          return payouts.map(toPortalPayoutReply).map((row) => ({ ...row, amount: formatAmount(row) }));
        },
      });
    },
  }),
];

/**
 * Chooses the partners that a list covers. This check runs before the filters are parsed, so a partner of
 * another user is rejected first.
 */
async function authorizePartners(
  _runtime: Runtime,
  { caller, request }: { readonly caller: PartnerCaller; readonly request: HttpRequest },
): Promise<readonly UserPartner[] | Rejection> {
  const query = parse(portalPageQuery.strip(), queryFields(request.query));
  return isRejection(query) ? query : choosePortalPartners(caller, query.partner_id);
}

/** Lists the rows of the chosen partners and programs. Deleted programs are included. */
async function listPortalRows(
  runtime: Runtime,
  partners: readonly UserPartner[],
  programId: number | undefined,
): Promise<{ programIds: readonly number[]; partnerIds: readonly number[] }> {
  const partnerIds = partnerIdsOf(partners);
  const programIds =
    programId === undefined ? await listPartnerProgramIds(runtime.engine.read, partnerIds) : [programId];
  return { programIds, partnerIds };
}

function partnerIdsOf(partners: readonly UserPartner[]): number[] {
  return partners.map((partner) => partner.id);
}

function toPortalPayoutReply(payout: PortalPayout) {
  return { ...payoutReplyFields(payout), program_id: payout.program_id };
}

function toPortalCommissionReply(commission: CommissionState) {
  const { id, program_id, partner_id } = commission;
  return { id, program_id, partner_id, ...commissionReplyFields(commission) };
}

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

function toEnrollmentReply({ program, figures, ...enrollment }: EnrollmentView) {
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
  };
}
