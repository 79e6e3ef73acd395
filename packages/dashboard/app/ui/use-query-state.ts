import { useLocation } from 'preact-iso';

export type QueryState = Readonly<Record<string, string>>;

/**
 * The state of a view, stored in the query of the URL. Users can therefore bookmark and share a filtered
 * view. When a filter changes, the view returns to the first page.
 * @returns the values, and a function that changes some of them; an empty value removes the parameter. A change adds
 * an entry to the browser's history, unless `isReplaced` is true.
 */
export function useQueryState(): readonly [QueryState, (changes: QueryState, isReplaced?: boolean) => void] {
  const { path, query, url, route } = useLocation();
  const change = (changes: QueryState, isReplaced?: boolean) => {
    const next = new URLSearchParams(query);
    if (!('page' in changes)) next.delete('page');
    for (const [name, value] of Object.entries(changes)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    const target = text === '' ? path : `${path}?${text}`;
    if (target !== url) route(target, isReplaced);
  };
  return [query, change];
}
