import type { JSX } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/shell.ts';
import { pageUrl } from '../mount.ts';
import { ProgramContext, WorkspaceContext } from '../session/session.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type NavItem, PROGRAM_PAGES, WORKSPACE_PAGES } from './nav.ts';
import { pageKeys } from './page-keys.ts';

/** The maximum time between the two keys of a shortcut. */
const SEQUENCE_MS = 1500;

/** The keys have different names on Apple devices. */
export const MENU_KEYS: readonly string[] = /Mac|iPhone|iPad/.test(navigator.userAgent)
  ? ['⌘', 'K']
  : [messages.controlKey, 'K'];

/**
 * Handles the keys of every page: `g` and a letter opens a page, `/` focuses the search, `?` lists the
 * shortcuts, and Ctrl+K or ⌘K opens the command menu.
 * @returns the list of shortcuts while it is open
 */
export function useShortcuts(openMenu: () => void): JSX.Element | null {
  const { route } = useLocation();
  const program = useContext(ProgramContext);
  const workspace = useContext(WorkspaceContext);
  const pages = useMemo(
    () => [...shortcutTargetsOf(program, PROGRAM_PAGES), ...shortcutTargetsOf(workspace, WORKSPACE_PAGES)],
    [program, workspace],
  );
  const [isListed, setListed] = useState(false);
  useEffect(() => {
    let startedAt = 0;
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
      else if (event.key === '?') setListed(true);
      else if (event.key === '/') focusSearch(event);
      else if (!isSecond)
        pageKeys()
          .find(({ key }) => key === event.key)
          ?.run();
      else {
        const page = pages.find(({ key }) => key === event.key);
        if (page) route(pageUrl(page.target));
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [route, pages, openMenu]);
  if (!isListed) return null;
  return (
    <Dialog title={messages.keys} onClose={() => setListed(false)}>
      <dl class="facts keys">
        {pageKeys().map(({ key, text }) => (
          <Keys key={key} keys={[key]} text={text} />
        ))}
        {pages.map(({ key, text }) => (
          <Keys key={`g ${key}`} keys={['g', key]} text={text} />
        ))}
        <Keys keys={MENU_KEYS} text={messages.commandMenu} />
        <Keys keys={['/']} text={messages.searchKey} />
        <Keys keys={['?']} text={messages.listKey} />
      </dl>
    </Dialog>
  );
}

interface ShortcutTarget {
  readonly key: string;
  readonly text: string;
  readonly target: string;
}

/** Returns the pages that the user may open, with their paths. */
function shortcutTargetsOf(
  view: { readonly page: string; readonly may: (permission: string) => boolean } | null,
  pages: readonly NavItem[],
): ShortcutTarget[] {
  if (view === null) return [];
  return pages
    .filter(({ permission }) => view.may(permission))
    .map(({ key, text, path }) => ({ key, text, target: view.page + path }));
}

function Keys({ keys, text }: { keys: readonly string[]; text: string }): JSX.Element {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </>
  );
}

/**
 * Whether the key opens the command menu. This works even in an input field, but not while a dialog is open.
 */
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
