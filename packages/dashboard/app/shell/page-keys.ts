import { useEffect } from 'preact/hooks';
import * as messages from '#messages/shell.ts';

/** The keys that open the command menu. On Apple's systems, the first key is ⌘ instead of Ctrl. */
export const MENU_KEYS: readonly string[] = /Mac|iPhone|iPad/.test(navigator.userAgent)
  ? ['⌘', 'K']
  : [messages.controlKey, 'K'];

/** A shortcut key of a page. */
export interface PageKey {
  readonly key: string;
  /** The description of the key in the list of shortcuts. */
  readonly text: string;
  readonly run: () => void;
}

let current: readonly PageKey[] = [];

/** Returns the shortcut keys of the current page. */
export function pageKeys(): readonly PageKey[] {
  return current;
}

/** Sets the shortcut keys of a page while the component is mounted. */
export function usePageKeys(keys: readonly PageKey[]): void {
  useEffect(() => {
    current = keys;
    return () => {
      if (current === keys) current = [];
    };
  });
}
