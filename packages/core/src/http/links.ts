import { createLinkRequest, updateLinkRequest } from '@affkit/protocol';
import { isoTimeOrNull } from '../domain/calendar.ts';
import { shortLinkUrl } from '../domain/short-link.ts';
import { changeLink, createLink } from '../management/links.ts';
import { isRejection } from '../rejection.ts';
import { type Link, listLinks } from '../storage/programs/links.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { readRowId } from './fields.ts';
import { listAnswer, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { itemAnswer, type Route, route } from './route.ts';

const PATH = '/api/advertiser/affiliate-programs/:id/links';

export const linkRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: { kind: 'management', scope: 'link:list', program: true },
    handle: async (runtime, { caller: { program }, request }) => {
      const page = readPage(request.query);
      if (isRejection(page)) return page;
      const { links, total } = await listLinks(runtime.engine.read, program.id, page);
      const data = links.map((link) => linkRow(program, link));
      return listAnswer(data, page, total);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    access: { kind: 'management', scope: 'link:create', program: true },
    handle: async (runtime, { caller: { program }, body }) => {
      const input = parseBody(createLinkRequest, body);
      if (isRejection(input)) return input;
      const link = await createLink(runtime, program, input);
      return isRejection(link)
        ? link
        : { status: 201, body: { success: true, data: linkRow(program, link) } };
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:linkId`,
    access: { kind: 'management', scope: 'link:update', program: true },
    handle: async (runtime, { caller: { program }, params, body }) => {
      const linkId = readRowId(params['linkId']);
      if (isRejection(linkId)) return linkId;
      const input = parseBody(updateLinkRequest, body);
      if (isRejection(input)) return input;
      const link = await changeLink(runtime, program, linkId, input.status);
      return itemAnswer(link, (changed) => linkRow(program, changed));
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
