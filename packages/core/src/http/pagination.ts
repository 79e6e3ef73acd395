import { Rejection } from '../rejection.ts';

const DEFAULT_PAGE_SIZE = 10;
const MAX_PAGE_SIZE = 100;
/** Beyond it no database could count; it keeps the offset a safe integer. */
const MAX_PAGE = 10 ** 12;

/** One page of a list, as it was asked for. */
export interface Page {
  readonly page: number;
  readonly pageSize: number;
  readonly offset: number;
  readonly limit: number;
}

/** Reads `page` and `pageSize`; a larger size than 100 is 100. */
export function readPage(query: URLSearchParams): Page | Rejection {
  const page = readCount(query, 'page', 1);
  const asked = readCount(query, 'pageSize', DEFAULT_PAGE_SIZE);
  if (page === null) return new Rejection('invalid_field', 'page must be an integer of at least 1');
  if (asked === null) return new Rejection('invalid_field', 'pageSize must be an integer of at least 1');
  const pageSize = Math.min(asked, MAX_PAGE_SIZE);
  return { page, pageSize, offset: (page - 1) * pageSize, limit: pageSize };
}

/** The `meta` of a list's answer. */
export function pageMeta(page: Page, total: number) {
  const { page: number, pageSize } = page;
  return { pagination: { page: number, pageSize, pageCount: Math.ceil(total / pageSize), total } };
}

/** Null where the value is no whole number from 1 on; an absent one is `fallback`. */
function readCount(query: URLSearchParams, name: string, fallback: number): number | null {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d+$/.test(text)) return null;
  const count = Math.min(Number(text), MAX_PAGE);
  return count >= 1 ? count : null;
}
