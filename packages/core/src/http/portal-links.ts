import {
  createPortalLinkRequest,
  portalLinkSeriesQuery,
  portalLinksCsvQuery,
  portalLinksQuery,
  portalSubIdsCsvQuery,
  portalSubIdsQuery,
} from '@affkit/protocol';
import type { PartnerCaller } from '../access/access.ts';
import { choosePortalPartners } from '../access/partner-choice.ts';
import { isoTimeOrNull } from '../domain/calendar.ts';
import { createPortalLink } from '../management/links.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { findLinkTotalsAsOf } from '../reporting/link-totals.ts';
import {
  type LinkFigures,
  readLinkFigures,
  readLinkSeries,
  readSubIds,
} from '../reporting/portal-figures.ts';
import { seriesDaysOf } from '../reporting/series.ts';
import type { Runtime } from '../runtime.ts';
import { findLink, type Link, listPartnerLinks } from '../storage/programs/links.ts';
import { findProgram } from '../storage/programs/programs.ts';
import { listPartnerEnrollments, type PartnerEnrollment } from '../storage/reads/partner-enrollments.ts';
import { formatAmount, replyWithCsv } from './csv-export.ts';
import { toLinkReply } from './links.ts';
import { pageMeta, rowRangeOf } from './pagination.ts';
import { PARTNER_ROUTE_ACCESS, partnerIdsOf } from './portal-selection.ts';
import { type Route, replyWithItem, route } from './route.ts';

const PORTAL_LINKS_PATH = '/api/partner/links';

type PortalProgram = PartnerEnrollment['program'];

/** The routes for a partner's links and their figures. Links of deleted programs are not found. */
export const portalLinkRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PORTAL_LINKS_PATH,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    query: portalLinksQuery,
    handle: async (runtime, { caller, query }) => {
      const selection = await selectPrograms(runtime, caller, query);
      if (isRejection(selection)) return selection;
      const asOf = await oldestOf(runtime, [...selection.programs.keys()]);
      const { rows, total } = await listPortalLinkRows(runtime, selection, rowRangeOf(query));
      return {
        body: { success: true, data: rows, meta: { ...pageMeta(query, total), as_of: isoTimeOrNull(asOf) } },
      };
    },
  }),
  route({
    method: 'GET',
    path: `${PORTAL_LINKS_PATH}.csv`,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    query: portalLinksCsvQuery,
    handle: async (runtime, { caller, query }) => {
      const selection = await selectPrograms(runtime, caller, query);
      if (isRejection(selection)) return selection;
      return await replyWithCsv(runtime, {
        name: 'links',
        columns: LINK_CSV_COLUMNS,
        owner: `user ${caller.actor.user.id}`,
        listCsvRows: async (snapshot, range) => {
          const { rows } = await listPortalLinkRows(snapshot, selection, range);
          return rows.map((row) => ({ ...row, earnings: earningsText(row) }));
        },
      });
    },
  }),
  route({
    method: 'POST',
    path: PORTAL_LINKS_PATH,
    access: PARTNER_ROUTE_ACCESS,
    body: createPortalLinkRequest,
    handle: async (runtime, { caller, body }) => {
      const enrollment = (await enrollmentsOf(runtime, caller)).find(
        ({ program }) => program.id === body.program_id,
      );
      const program = enrollment && (await findProgram(runtime.engine.read, body.program_id));
      if (!program) return new Rejection('not_found');
      const link = await createPortalLink(runtime, program, enrollment.partnerId, body);
      return replyWithItem(link, (created) => toPortalLinkReply(program, created), 201);
    },
  }),
  route({
    method: 'GET',
    path: `${PORTAL_LINKS_PATH}/:linkId`,
    access: PARTNER_ROUTE_ACCESS,
    handle: async (runtime, { caller, params }) => {
      const found = await findPortalLink(runtime, caller, params.linkId);
      if (isRejection(found)) return found;
      const { link, program } = found;
      const figures = (await readLinkFigures(runtime, [program.id], [link.id]))(link.id);
      return { body: { success: true, data: toListedReply(program, link, figures) } };
    },
  }),
  route({
    method: 'GET',
    path: `${PORTAL_LINKS_PATH}/:linkId/series`,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    query: portalLinkSeriesQuery,
    handle: async (runtime, { caller, params, query }) => {
      const found = await findPortalLink(runtime, caller, params.linkId);
      if (isRejection(found)) return found;
      const series = await readLinkSeries(runtime, found.program, params.linkId, query);
      return isRejection(series) ? series : { body: { success: true, ...series } };
    },
  }),
  route({
    method: 'GET',
    path: `${PORTAL_LINKS_PATH}/:linkId/sub-ids`,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    query: portalSubIdsQuery,
    handle: async (runtime, { caller, params, query }) => {
      const found = await findPortalLink(runtime, caller, params.linkId);
      if (isRejection(found)) return found;
      const ofLink = { programId: found.program.id, linkId: params.linkId };
      const days = seriesDaysOf(query, runtime.now());
      if (isRejection(days)) return days;
      const { rows, total, meta } = await readSubIds(runtime, ofLink, days, rowRangeOf(query));
      return { body: { success: true, data: rows, meta: { ...pageMeta(query, total), ...meta } } };
    },
  }),
  route({
    method: 'GET',
    path: `${PORTAL_LINKS_PATH}/:linkId/sub-ids.csv`,
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    query: portalSubIdsCsvQuery,
    handle: async (runtime, { caller, params, query }) => {
      const found = await findPortalLink(runtime, caller, params.linkId);
      if (isRejection(found)) return found;
      const ofLink = { programId: found.program.id, linkId: params.linkId };
      const days = seriesDaysOf(query, runtime.now());
      if (isRejection(days)) return days;
      return await replyWithCsv(runtime, {
        name: `sub-ids-${found.link.shortLink}`,
        columns: ['sub_id', 'clicks', 'leads', 'sales', 'earnings'],
        owner: `user ${caller.actor.user.id}`,
        listCsvRows: async (snapshot, range) => {
          const { rows } = await readSubIds(snapshot, ofLink, days, range);
          return rows.map((row) => ({ ...row, earnings: earningsText(row) }));
        },
      });
    },
  }),
];

const LINK_CSV_COLUMNS = [
  'id',
  'program_id',
  'short_link',
  'status',
  'url',
  'landing_path',
  'sub_id',
  'clicks',
  'leads',
  'sales',
  'earnings',
  'last_clicked',
] as const;

interface LinkSelection {
  readonly programs: ReadonlyMap<number, PortalProgram>;
  readonly partnerIds: readonly number[];
}

function enrollmentsOf(runtime: Runtime, { partners }: PartnerCaller): Promise<PartnerEnrollment[]> {
  return listPartnerEnrollments(runtime.engine.read, partnerIdsOf(partners));
}

async function selectPrograms(
  runtime: Runtime,
  caller: PartnerCaller,
  query: { readonly partner_id?: number | undefined; readonly program_id?: number | undefined },
): Promise<LinkSelection | Rejection> {
  const partners = choosePortalPartners(caller, query.partner_id);
  if (isRejection(partners)) return partners;
  const partnerIds = partnerIdsOf(partners);
  const enrollments = await listPartnerEnrollments(runtime.engine.read, partnerIds);
  const chosen = enrollments.filter(
    ({ program }) => query.program_id === undefined || program.id === query.program_id,
  );
  return { programs: new Map(chosen.map(({ program }) => [program.id, program])), partnerIds };
}

async function listPortalLinkRows(
  runtime: Runtime,
  { programs, partnerIds }: LinkSelection,
  range: { readonly offset: number; readonly limit: number },
) {
  const programIds = [...programs.keys()];
  const { links, total } = await listPartnerLinks(runtime.engine.read, { programIds, partnerIds }, range);
  const figures = await readLinkFigures(
    runtime,
    programIds,
    links.map(({ id }) => id),
  );
  const rows = links.flatMap((link) => {
    const program = programs.get(link.programId);
    return program ? [toListedReply(program, link, figures(link.id))] : [];
  });
  return { rows, total };
}

/** Finds a link of the caller's partners. Links of other partners are not found. */
async function findPortalLink(
  runtime: Runtime,
  caller: PartnerCaller,
  linkId: number,
): Promise<{ readonly link: Link; readonly program: PortalProgram } | Rejection> {
  for (const { program, partnerId } of await enrollmentsOf(runtime, caller)) {
    const link = await findLink(runtime.engine.read, program.id, linkId);
    if (link?.partnerId === partnerId) return { link, program };
  }
  return new Rejection('not_found');
}

/** The time up to which the events of all these programs are counted. Null if this time is unknown. */
async function oldestOf(runtime: Runtime, programIds: readonly number[]): Promise<number | null> {
  let oldest: number | null = runtime.now();
  for (const id of programIds) {
    const asOf = await findLinkTotalsAsOf(runtime, id);
    oldest = asOf === null || oldest === null ? null : Math.min(oldest, asOf);
  }
  return oldest;
}

function toPortalLinkReply(program: Pick<PortalProgram, 'id' | 'siteUrl'>, link: Link) {
  return {
    ...toLinkReply(program, link),
    program_id: program.id,
    landing_path: link.landingPath,
    sub_id: link.subId,
  };
}

/** `clicks` comes from the link instead of the figures, because the link's counter is always up to date. */
function toListedReply(program: PortalProgram, link: Link, { leads, sales, earnings }: LinkFigures) {
  return { ...toPortalLinkReply(program, link), leads, sales, earnings };
}

/** The amounts in all currencies, as the text of one cell. */
function earningsText({ earnings }: Pick<LinkFigures, 'earnings'>): string {
  return earnings
    .map(({ currency, amount_cents }) => `${formatAmount({ currency, amount_cents })} ${currency}`)
    .join('; ');
}
