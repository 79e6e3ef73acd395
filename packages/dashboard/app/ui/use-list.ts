import type { Query } from '../api/client.ts';
import type { ListReply } from '../api/types.ts';
import { useApi } from '../api/use-api.ts';
import type { TableProps } from './table.tsx';
import { useQueryState } from './use-query-state.ts';

const PAGE_SIZE = 25;

type List<Row extends { readonly id: number }> = Pick<
  TableProps<Row>,
  'rows' | 'error' | 'onRetry' | 'pagination'
>;

/** The rows of a list for a `Table`: the page that the URL names, sorted as it says. */
export function useList<Row extends { readonly id: number }>(path: string, filters: Query = {}): List<Row> {
  const [{ sort, order, page }] = useQueryState();
  const query = { ...filters, sort, order, page, pageSize: PAGE_SIZE };
  const { data, error, refetch } = useApi<ListReply<Row>>(path, query);
  return { rows: data?.data, error, onRetry: () => void refetch(), pagination: data?.meta.pagination };
}
