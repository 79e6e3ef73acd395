import type { TopQuery } from '@affkit/protocol';
import { isRejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findLinks } from '../storage/programs/links.ts';
import { findPartnerNames } from '../storage/programs/partners.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { topLinks, topPartners } from '../storage/reads/top.ts';
import { seriesBoundsOf, seriesDaysOf } from './series.ts';

/** Ranks the partners or links of a program by a measure over a range, highest value first. */
export async function readTop(runtime: Runtime, program: ProgramAccount, query: TopQuery) {
  const { by, measure, limit } = query;
  const { read } = runtime.engine;
  const days = seriesDaysOf(query, runtime.now());
  if (isRejection(days)) return days;
  const currency =
    measure === 'revenue' || measure === 'commission' ? (query.currency ?? program.currency) : null;
  const meta = { ...seriesBoundsOf(days), measure, currency };
  if (by === 'link') {
    const ranked = await topLinks(runtime.engine, program.id, days, limit);
    const links = await findLinks(
      read,
      program.id,
      ranked.map(({ id }) => id),
    );
    const linkOf = new Map(links.map((link) => [link.id, link]));
    const names = await findPartnerNames(
      read,
      links.flatMap(({ partnerId }) => partnerId ?? []),
    );
    const data = ranked.flatMap(({ id, value }) => {
      const link = linkOf.get(id);
      if (!link) return [];
      const { partnerId } = link;
      const partner_name = (partnerId !== null && names.get(partnerId)) || null;
      return [{ partner_id: partnerId, partner_name, link_id: id, short_link: link.shortLink, value }];
    });
    return { data, meta };
  }
  const key =
    measure === 'revenue' || measure === 'commission' ? (`${measure}:${currency}` as const) : measure;
  const ranked = await topPartners(runtime.engine, program.id, key, days, limit);
  const names = await findPartnerNames(
    read,
    ranked.map(({ id }) => id),
  );
  const data = ranked.map(({ id, value }) => ({
    partner_id: id,
    partner_name: names.get(id) ?? null,
    value,
  }));
  return { data, meta };
}
