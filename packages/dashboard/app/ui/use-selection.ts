import { useState } from 'preact/hooks';

/**
 * The ids of the selected rows of a list. Only rows that the list shows now are selected, because an action must never
 * apply to rows that the user does not see.
 * @param rows the rows of the current page, or undefined while they load
 */
export function useSelection(
  rows: readonly { readonly id: number }[] | undefined,
): readonly [ReadonlySet<number>, (ids: ReadonlySet<number>) => void] {
  const [ids, select] = useState<ReadonlySet<number>>(new Set());
  const shown = rows?.flatMap(({ id }) => (ids.has(id) ? [id] : []));
  return [new Set(shown), select];
}
