import { createLinkRequest, linksCsvQuery, linksQuery, updateLinkRequest } from '@affkit/protocol';
import { isoTimeOrNull } from '../domain/calendar.ts';
import { shortLinkUrl } from '../domain/short-link.ts';
import { changeLink, createLink } from '../management/links.ts';
import type { Runtime } from '../runtime.ts';
import { listLinks } from '../storage/programs/link-list.ts';
import { findLink, type Link } from '../storage/programs/links.ts';
import { findEnrollmentStatuses, withPartnerNames } from '../storage/programs/partners.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { replyWithCsv } from './csv-export.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithFound, replyWithItem, route } from './route.ts';

const LINKS_PATH = '/api/advertiser/affiliate-programs/:id/links';

export const linkRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: LINKS_PATH,
    readsReplica: true,
    access: { kind: 'management', scope: 'link:list', program: true },
    query: linksQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const { links, total } = await listLinks(runtime.engine, program.id, query, rowRangeOf(query));
      return replyWithList(await toListedReplies(runtime, program, links), query, total);
    },
  }),
  route({
    method: 'GET',
    path: `${LINKS_PATH}.csv`,
    readsReplica: true,
    access: { kind: 'management', scope: 'link:list', program: true },
    query: linksCsvQuery,
    handle: (runtime, { caller: { program }, query }) =>
      replyWithCsv(runtime, {
        name: `links-${program.slug}`,
        columns: ['id', 'short_link', 'status', 'partner_id', 'url', 'clicks', 'last_clicked'],
        owner: `workspace ${program.workspaceId}`,
        listCsvRows: async ({ engine }, range) => {
          const { links } = await listLinks(engine, program.id, query, range);
          return links.map((link) => toLinkReply(program, link));
        },
      }),
  }),
  route({
    method: 'POST',
    path: LINKS_PATH,
    access: { kind: 'management', scope: 'link:create', program: true },
    body: createLinkRequest,
    handle: async (runtime, { caller: { program }, body }) => {
      const link = await createLink(runtime, program, body);
      return replyWithItem(link, (created) => toLinkReply(program, created), 201);
    },
  }),
  route({
    method: 'GET',
    path: `${LINKS_PATH}/:linkId`,
    access: { kind: 'management', scope: 'link:list', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const link = await findLink(runtime.engine.read, program.id, params.linkId);
      const [found] = await toListedReplies(runtime, program, link ? [link] : []);
      return replyWithFound(found ?? null, (row) => row);
    },
  }),
  route({
    method: 'PUT',
    path: `${LINKS_PATH}/:linkId`,
    access: { kind: 'management', scope: 'link:update', program: true },
    body: updateLinkRequest,
    handle: async (runtime, { caller: { program }, params, body }) => {
      const link = await changeLink(runtime, program, params.linkId, body.status);
      return replyWithItem(link, (changed) => toLinkReply(program, changed));
    },
  }),
];

async function toListedReplies(runtime: Runtime, program: ProgramAccount, links: readonly Link[]) {
  const { read } = runtime.engine;
  const ids = links.flatMap(({ partnerId }) => partnerId ?? []);
  const [rows, statuses] = await Promise.all([
    withPartnerNames(
      read,
      links.map((link) => toLinkReply(program, link)),
    ),
    findEnrollmentStatuses(read, program.id, ids),
  ]);
  return rows.map((row) => ({
    ...row,
    partner_status: row.partner_id === null ? null : (statuses.get(row.partner_id) ?? null),
  }));
}

export function toLinkReply(program: Pick<ProgramAccount, 'siteUrl'>, link: Link) {
  return {
    id: link.id,
    short_link: link.shortLink,
    status: link.status,
    partner_id: link.partnerId,
    url: shortLinkUrl(program.siteUrl, link.shortLink, link),
    clicks: link.clicks,
    last_clicked: isoTimeOrNull(link.lastClickedAt),
  };
}
