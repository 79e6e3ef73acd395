import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { pageUrl } from '../mount.ts';
import { type LoadOverlay, useOverlay } from '../ui/use-overlay.tsx';
import type { NavSection, SectionsProps } from './nav.ts';
import { pageKeys } from './page-keys.ts';

const loadKeyList = () => import('./key-list.tsx').then((module) => module.KeyList);

/** The maximum time between the two keys of a shortcut. */
const SEQUENCE_MS = 1500;

/**
 * The time when `g` was pressed. It is not stored in the key listener, because the listener is replaced if the URL
 * changes between the two keys.
 */
let startedAt = 0;

/**
 * Handles the keys of every page: `g` and a letter opens a page, `/` focuses the search, `?` lists the keys,
 * and Ctrl+K or ⌘K opens the command menu.
 * @returns the command menu and the list of keys while they are open, and a function that opens the menu
 */
export function useShortcuts(loadMenu: LoadOverlay<SectionsProps>, sections: readonly NavSection[]) {
  const { route } = useLocation();
  const pages = useMemo(() => sections.flatMap((section) => section.pages), [sections]);
  const props = { sections };
  const [menu, openMenu] = useOverlay(loadMenu, props);
  const [keyList, openKeyList] = useOverlay(loadKeyList, props);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isMenuKey(event)) {
        event.preventDefault();
        openMenu();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const isSecond = Date.now() - startedAt < SEQUENCE_MS;
      startedAt = 0;
      if (event.key === 'g') startedAt = Date.now();
      else if (event.key === '?') openKeyList();
      else if (event.key === '/') focusSearch(event);
      else if (!isSecond)
        pageKeys()
          .find(({ key }) => key === event.key)
          ?.run();
      else {
        const page = pages.find(({ key }) => key === event.key);
        if (page) route(pageUrl(page.path));
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [route, pages, openMenu, openKeyList]);
  return { menu, openMenu, keyList };
}

/** Whether the key opens the command menu. It also works in a field, but not while a dialog is open. */
function isMenuKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isPressed = key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;
  return isPressed && document.querySelector('dialog[open]') === null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input,textarea,select,dialog') !== null;
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (!search) return;
  event.preventDefault();
  search.focus();
}
