import { type QueryState, useQueryState } from './use-query-state.ts';

export interface Filters {
  /** The filters that the URL has. */
  readonly filters: QueryState;
  readonly isFiltered: boolean;
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
    clear: () => change(Object.fromEntries(names.map((name) => [name, '']))),
  };
}
