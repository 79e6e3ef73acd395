import type { Query } from './client.ts';

/** The query parameters that choose whose data a route returns, or what the returned values measure. */
const SCOPE = ['workspace_id', 'program_id', 'partner_id', 'sub_id', 'by', 'measure', 'currency'];

/**
 * Whether two queries read the same kind of data of the same program and partner, so that they differ only in filters,
 * sort order, or page. Only then may a page show the data of one query while it loads the other.
 */
export function isSameScope(
  [path, query]: readonly [path: string, query: Query],
  [otherPath, otherQuery]: readonly [path: string, query: Query],
): boolean {
  return path === otherPath && SCOPE.every((name) => query[name] === otherQuery[name]);
}
