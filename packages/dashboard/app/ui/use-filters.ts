import { type QueryState, useQueryState } from './use-query-state.ts';

export interface Filters {
  /** The filters that the URL has. */
  readonly filters: QueryState;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}

/** The filters of a list, which are parameters of the URL. */
export function useFilters(names: readonly string[]): Filters {
  const [query, change] = useQueryState();
  const set = Object.entries(query).filter(([name, value]) => names.includes(name) && value !== '');
  const filters = Object.fromEntries(set);
  return {
    filters,
    isFiltered: set.length > 0,
    clear: () => change(Object.fromEntries(names.map((name) => [name, '']))),
  };
}
