import { type QueryState, useQueryState } from './use-query-state.ts';

export interface Filters {
  /** The filters that the URL has. */
  readonly filters: QueryState;
  readonly isFiltered: boolean;
  /** Number of the filters without the search. */
  readonly count: number;
  readonly clear: () => void;
}

/** The filters that a query of the URL has. */
export function chosenFilters(query: QueryState, names: readonly string[]): QueryState {
  return Object.fromEntries(
    Object.entries(query).filter(([name, value]) => names.includes(name) && value !== ''),
  );
}

/** The filters of a list, which are parameters of the URL. */
export function useFilters(names: readonly string[]): Filters {
  const [query, change] = useQueryState();
  const filters = chosenFilters(query, names);
  return {
    filters,
    isFiltered: Object.keys(filters).length > 0,
    count: Object.keys(filters).filter((name) => name !== 'q').length,
    clear: () => change(Object.fromEntries(names.map((name) => [name, '']))),
  };
}
