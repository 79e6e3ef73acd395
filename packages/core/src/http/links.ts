import { createLinkRequest, linksCsvQuery, pageQuery, updateLinkRequest } from '@affkit/protocol';
import { isoTimeOrNull } from '../domain/calendar.ts';
import { shortLinkUrl } from '../domain/short-link.ts';
import { changeLink, createLink } from '../management/links.ts';
import { type Link, listLinks } from '../storage/programs/links.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { replyWithCsv } from './csv-export.ts';
import { replyWithList, rowsOf } from './pagination.ts';
import { type Route, replyWithItem, route } from './route.ts';

const PATH = '/api/advertiser/affiliate-programs/:id/links';

export const linkRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: { kind: 'management', scope: 'link:list', program: true },
    query: pageQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const { links, total } = await listLinks(runtime.engine.read, program.id, rowsOf(query));
      const data = links.map((link) => linkRow(program, link));
      return replyWithList(data, query, total);
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}.csv`,
    access: { kind: 'management', scope: 'link:list', program: true },
    query: linksCsvQuery,
    handle: (runtime, { caller: { program } }) =>
      replyWithCsv(runtime, {
        name: `links-${program.slug}`,
        columns: ['id', 'short_link', 'status', 'partner_id', 'url', 'clicks', 'last_clicked'],
        listRows: async ({ engine }, range) => {
          const { links } = await listLinks(engine.read, program.id, range);
          return links.map((link) => linkRow(program, link));
        },
      }),
  }),
  route({
    method: 'POST',
    path: PATH,
    access: { kind: 'management', scope: 'link:create', program: true },
    body: createLinkRequest,
    handle: async (runtime, { caller: { program }, body }) => {
      const link = await createLink(runtime, program, body);
      return replyWithItem(link, (created) => linkRow(program, created), 201);
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:linkId`,
    access: { kind: 'management', scope: 'link:update', program: true },
    body: updateLinkRequest,
    handle: async (runtime, { caller: { program }, params, body }) => {
      const link = await changeLink(runtime, program, params.linkId, body.status);
      return replyWithItem(link, (changed) => linkRow(program, changed));
    },
  }),
];

export function linkRow(program: Pick<ProgramAccount, 'siteUrl'>, link: Link) {
  return {
    id: link.id,
    short_link: link.shortLink,
    status: link.status,
    partner_id: link.partnerId,
    url: shortLinkUrl(program.siteUrl, link.shortLink),
    clicks: link.clicks,
    last_clicked: isoTimeOrNull(link.lastClickedAt),
  };
}
