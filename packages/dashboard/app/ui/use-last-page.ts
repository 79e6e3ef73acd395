import { useEffect } from 'preact/hooks';
import type { Pagination } from '../api/types.ts';
import { useQueryState } from './use-query-state.ts';

/**
 * If the page in the URL is after the last page of the list, replaces it with the last page. For example, a list may
 * have fewer pages after an action.
 * @param pagination the pagination of the list, or undefined while the list loads
 */
export function useLastPage(pagination: Pagination | undefined): void {
  const [{ page }, change] = useQueryState();
  const last = pagination?.pageCount;
  useEffect(() => {
    if (last !== undefined && Number(page) > Math.max(1, last))
      change({ page: last > 1 ? String(last) : '' }, true);
  }, [last, page]);
}
