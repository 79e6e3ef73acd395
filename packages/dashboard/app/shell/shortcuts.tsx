import type { JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { pageUrl } from '../mount.ts';
import { ProgramContext } from '../session/session.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { PROGRAM_PAGES } from './nav.ts';

/** Time between the two keys of a shortcut. */
const SEQUENCE_MS = 1500;

/**
 * Handles the keys of every page: `g` and a letter opens a page, `/` focuses the search, `?` lists the keys.
 * @returns the list of keys while it is open
 */
export function useShortcuts(): JSX.Element | null {
  const { route } = useLocation();
  const view = useContext(ProgramContext);
  const [isListed, setListed] = useState(false);
  useEffect(() => {
    let startedAt = 0;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const isSecond = Date.now() - startedAt < SEQUENCE_MS;
      startedAt = 0;
      if (event.key === 'g') startedAt = Date.now();
      else if (event.key === '?') setListed(true);
      else if (event.key === '/') focusSearch(event);
      else if (isSecond && view !== null) {
        const page = PROGRAM_PAGES.find(({ key, permission }) => key === event.key && view.may(permission));
        if (page) route(pageUrl(view.page + page.path));
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [route, view]);
  if (!isListed) return null;
  return (
    <Dialog title="Keys" onClose={() => setListed(false)}>
      <dl class="facts">
        {PROGRAM_PAGES.filter(({ permission }) => view?.may(permission)).map(({ key, text }) => (
          <Keys key={key} keys={['g', key]} text={text} />
        ))}
        <Keys keys={['/']} text="Search" />
        <Keys keys={['?']} text="This list" />
      </dl>
    </Dialog>
  );
}

function Keys({ keys, text }: { keys: readonly string[]; text: string }): JSX.Element {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key} </kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (!search) return;
  event.preventDefault();
  search.focus();
}
