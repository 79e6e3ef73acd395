import { Rejection } from '../rejection.ts';
import type { Answer } from './route.ts';

const DEFAULT_PAGE_SIZE = 10;
const MAX_PAGE_SIZE = 100;
/** Beyond it no database could count; it keeps the offset a safe integer. */
const MAX_PAGE = 10 ** 12;

/** One page of a list, as it was asked for. */
export interface Page {
  readonly page: number;
  readonly offset: number;
  readonly limit: number;
}

/** Reads `page` and `pageSize`; a larger size than 100 is 100. */
export function readPage(query: URLSearchParams): Page | Rejection {
  const page = readCount(query, 'page', 1);
  const asked = readCount(query, 'pageSize', DEFAULT_PAGE_SIZE);
  if (page === null) return new Rejection('invalid_field', 'page must be an integer of at least 1');
  if (asked === null) return new Rejection('invalid_field', 'pageSize must be an integer of at least 1');
  const limit = Math.min(asked, MAX_PAGE_SIZE);
  return { page, offset: (page - 1) * limit, limit };
}

/** What `meta` says of a page. */
export function pageMeta(page: Page, total: number) {
  const { page: number, limit: pageSize } = page;
  return { pagination: { page: number, pageSize, pageCount: Math.ceil(total / pageSize), total } };
}

/** The answer of a list: its rows on that page, of so many. */
export function listAnswer(data: readonly object[], page: Page, total: number): Answer {
  return { body: { success: true, data, meta: pageMeta(page, total) } };
}

/** Null where the value is no whole number from 1 on; an absent one is `fallback`. */
function readCount(query: URLSearchParams, name: string, fallback: number): number | null {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d+$/.test(text)) return null;
  const count = Math.min(Number(text), MAX_PAGE);
  return count >= 1 ? count : null;
}
