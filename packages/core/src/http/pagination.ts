import type { ListTotal } from '../storage/database/list-page.ts';
import type { Reply } from './route.ts';

export interface PageQuery {
  readonly page: number;
  readonly pageSize: number;
}

/** Converts a page number and size to the row range of a database query. */
export function rowRangeOf({ page, pageSize }: PageQuery): {
  readonly offset: number;
  readonly limit: number;
} {
  return { offset: (page - 1) * pageSize, limit: pageSize };
}

/** Returns the `meta` of a list reply. */
export function pageMeta({ page, pageSize }: PageQuery, total: number | ListTotal) {
  const { rows, isCapped } = typeof total === 'number' ? { rows: total, isCapped: false } : total;
  const pagination = { page, pageSize, pageCount: Math.ceil(rows / pageSize), total: rows };
  return { pagination: { ...pagination, ...(isCapped && { total_capped: true }) } };
}

/** Returns a reply with one page of a list. @param total the number of rows in the whole list */
export function replyWithList(data: readonly object[], query: PageQuery, total: number | ListTotal): Reply {
  return { body: { success: true, data, meta: pageMeta(query, total) } };
}
