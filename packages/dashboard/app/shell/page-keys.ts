import { useEffect } from 'preact/hooks';

/** A key that works on one page. */
export interface PageKey {
  readonly key: string;
  /** Description of the key for the list of keys. */
  readonly text: string;
  readonly run: () => void;
}

let current: readonly PageKey[] = [];

/** The keys of the page that is shown. */
export function pageKeys(): readonly PageKey[] {
  return current;
}

/** Sets the keys of a page while the component is on it. */
export function usePageKeys(keys: readonly PageKey[]): void {
  useEffect(() => {
    current = keys;
    return () => {
      if (current === keys) current = [];
    };
  });
}
