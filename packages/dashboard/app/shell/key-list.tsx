import type { JSX } from 'preact';
import * as messages from '#messages/shell.ts';
import { Dialog } from '../ui/dialog.tsx';
import type { Closable } from '../ui/use-overlay.tsx';
import type { SectionsProps } from './nav.ts';
import { MENU_KEYS, pageKeys } from './page-keys.ts';

/** The keys of the page, and the keys that work on every page. */
export function KeyList({ sections, onClose }: Closable<SectionsProps>): JSX.Element {
  return (
    <Dialog title={messages.keys} onClose={onClose}>
      <dl class="facts keys">
        {pageKeys().map(({ key, text }) => (
          <Keys key={key} keys={[key]} text={text} />
        ))}
        {sections
          .flatMap(({ pages }) => pages)
          .map(({ key, text }) => (
            <Keys key={`g ${key}`} keys={['g', key]} text={text} />
          ))}
        <Keys keys={MENU_KEYS} text={messages.commandMenu} />
        <Keys keys={['/']} text={messages.searchKey} />
        <Keys keys={['?']} text={messages.listKey} />
      </dl>
    </Dialog>
  );
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
