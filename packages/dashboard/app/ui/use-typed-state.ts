import { useRef } from 'preact/hooks';
import { useQueryState } from './use-query-state.ts';

export interface TypedState {
  readonly value: string;
  readonly type: (value: string) => void;
  /** Call it when the user leaves the field. */
  readonly leave: () => void;
}

/**
 * A parameter of the URL that the user types. Everything that the user types until leaving the field is one entry in
 * the browser's history.
 */
export function useTypedState(name: string): TypedState {
  const [query, change] = useQueryState();
  const value = query[name] ?? '';
  const typed = useRef<string | null>(null);
  return {
    value,
    type: (next) => {
      // If the URL has another value, the user has gone back in the history. Replacing this entry would lose the value
      // that the user went back to, so the change adds a new entry.
      const isContinued = typed.current === value;
      typed.current = next;
      change({ [name]: next }, isContinued);
    },
    leave: () => {
      typed.current = null;
    },
  };
}
