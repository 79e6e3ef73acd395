import { sql } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import { containsText, prefixKey } from '../database/text-search.ts';
import { findLinks, type Link, type LinkStatus } from './links.ts';
import { counterFigure, listSortedIds, type SortedList } from './sorted-list.ts';

/** The filters and the sort order of a list of links. A missing filter matches all links. */
export interface LinkListQuery {
  readonly q?: string | undefined;
  readonly status?: LinkStatus | undefined;
  readonly sort: 'created_at' | 'short_link' | 'clicks' | 'last_clicked';
  readonly order: 'asc' | 'desc';
}

/**
 * Lists a page of the program's links. The cost depends on the number of links, but not on the number of
 * events.
 */
export async function listLinks(
  { dialect, read }: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  { q, status, sort, order }: LinkListQuery,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ links: Link[]; total: number }> {
  const from =
    q === undefined
      ? sql`links AS listed`
      : sql`links AS listed LEFT JOIN partners ON partners.id = listed.partner_id`;
  const ofStatus = status === undefined ? sql`` : sql`AND listed.status = ${status}`;
  const found =
    q === undefined ? sql`` : sql`AND ${containsText(dialect, ['listed.short_link', 'partners.name'], q)}`;
  const where = sql`listed.program_id = ${programId} ${ofStatus} ${found}`;
  const rows = { from, where, order, isSearch: q !== undefined, key: sortKey() };
  const { ids, total } = await listSortedIds(read, rows, page);
  return { links: await findLinks(read, programId, ids), total };

  function sortKey(): SortedList['key'] {
    if (sort === 'created_at') return sql`listed.id`;
    if (sort === 'short_link') return sql.raw(prefixKey(dialect, 'listed.short_link'));
    const column = sort === 'clicks' ? 'value' : 'last_at';
    return counterFigure(programId, 'link', 'clicks', sql`listed.id`, column);
  }
}
