import { type QueryState, useQueryState } from './use-query-state.ts';

export interface Filters {
  /** The active filters in the URL. */
  readonly filters: QueryState;
  readonly isFiltered: boolean;
  /** The number of active filters. The search is not counted. */
  readonly count: number;
  readonly clear: () => void;
}

/** Returns the active filters in a query. */
export function chosenFilters(query: QueryState, names: readonly string[]): QueryState {
  return Object.fromEntries(
    Object.entries(query).filter(([name, value]) => names.includes(name) && value !== ''),
  );
}

/** Returns the filters of a list. They are parameters of the URL. */
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
