import { useState } from 'preact/hooks';
import { useQueryState } from './use-query-state.ts';

const NONE: ReadonlySet<number> = new Set();

/**
 * The ids of the selected rows of a list. The selection is cleared when the filters, the sort order, or the page in the
 * URL change, because an action must never apply to rows that the user no longer sees.
 */
export function useSelection(): readonly [ReadonlySet<number>, (ids: ReadonlySet<number>) => void] {
  const [query] = useQueryState();
  const list = JSON.stringify(query);
  const [selection, setSelection] = useState({ list, ids: NONE });
  const select = (ids: ReadonlySet<number>) => setSelection({ list, ids });
  return [selection.list === list ? selection.ids : NONE, select];
}
