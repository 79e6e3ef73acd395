import type { Query } from '../api/client.ts';
import type { ListReply } from '../api/types.ts';
import { apiQuery, useApi } from '../api/use-api.ts';
import type { Prefetch } from '../shell/lazy-page.tsx';
import type { TableProps } from './table.tsx';
import { chosenFilters } from './use-filters.ts';
import { useLastPage } from './use-last-page.ts';
import { type QueryState, useQueryState } from './use-query-state.ts';

const PAGE_SIZE = 25;

type List<Row extends { readonly id: number }> = Pick<
  TableProps<Row>,
  'rows' | 'isStale' | 'error' | 'onRetry' | 'pagination'
>;

/** Returns the API query of a list: its filters, and the sort order and page from the URL. */
function listQuery(filters: Query, { sort, order, page }: QueryState): Query {
  return { ...filters, sort, order, page, pageSize: PAGE_SIZE };
}

/** Prefetches the rows that `useList` will read. @param list the last part of the list's path */
export function prefetchList(list: string, filters: readonly string[]): Prefetch {
  return (client, { api }, query) =>
    void client.prefetchQuery(apiQuery(`${api}/${list}`, listQuery(chosenFilters(query, filters), query)));
}

/** Returns the rows of a list for a `Table`. The URL determines the page and the sort order. */
export function useList<Row extends { readonly id: number }>(path: string, filters: Query = {}): List<Row> {
  const [query] = useQueryState();
  const { data, error, refetch, isPlaceholderData } = useApi<ListReply<Row>>(path, listQuery(filters, query));
  useLastPage({ data, isPlaceholderData });
  return {
    rows: data?.data,
    isStale: isPlaceholderData,
    error,
    onRetry: () => void refetch(),
    pagination: data?.meta.pagination,
  };
}
