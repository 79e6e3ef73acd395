import { useEffect } from 'preact/hooks';
import type { ListReply } from '../api/types.ts';
import { useQueryState } from './use-query-state.ts';

/**
 * If the page in the URL is after the last page of the list, replaces it with the last page. For example, a list may
 * have fewer pages after an action.
 * @param list the list, which may still show the rows of its previous query
 */
export function useLastPage({
  data,
  isPlaceholderData,
}: {
  readonly data: Pick<ListReply<unknown>, 'meta'> | undefined;
  readonly isPlaceholderData: boolean;
}): void {
  const [{ page }, change] = useQueryState();
  const last = isPlaceholderData ? undefined : data?.meta.pagination.pageCount;
  useEffect(() => {
    if (last !== undefined && Number(page) > Math.max(1, last))
      change({ page: last > 1 ? String(last) : '' }, true);
  }, [last, page]);
}
