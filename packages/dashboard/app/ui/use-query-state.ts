import { useLocation } from 'preact-iso';

export type QueryState = Readonly<Record<string, string>>;

/**
 * The state of a view, stored in the query of the URL. Users can therefore bookmark and share a filtered
 * view. When a filter changes, the view returns to the first page.
 * @returns the values, and a function that changes some of them; an empty value removes the parameter
 */
export function useQueryState(): readonly [QueryState, (changes: QueryState) => void] {
  const { path, query, route } = useLocation();
  const change = (changes: QueryState) => {
    const next = new URLSearchParams(query);
    if (!('page' in changes)) next.delete('page');
    for (const [name, value] of Object.entries(changes)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    route(text === '' ? path : `${path}?${text}`, true);
  };
  return [query, change];
}
