import type { JSX } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/shell.ts';
import type { ListReply, Partner } from '../api/types.ts';
import { useApi } from '../api/use-api.ts';
import { pageUrl } from '../mount.ts';
import { ProgramContext, useSession, WorkspaceContext } from '../session/session.tsx';
import { commandsFor } from './commands.ts';

/**
 * A menu that opens pages, partners and programs by name, starts actions, and explains ids. It is a combobox
 * with a list, in a modal dialog.
 */
export function CommandMenu({ onClose }: { onClose: () => void }): JSX.Element {
  const { programs } = useSession();
  const view = useContext(ProgramContext);
  const workspace = useContext(WorkspaceContext);
  const { route } = useLocation();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const partners = usePartners(text.trim());
  const commands = commandsFor(text, { view, workspace, programs, partners });
  const chosen = commands[active];
  const optionId = (command: string) => `${id}-${command}`;
  useEffect(() => ref.current?.showModal(), []);
  useEffect(() => {
    document.getElementById(optionId(chosen?.id ?? ''))?.scrollIntoView({ block: 'nearest' });
  });
  const run = (path: string) => {
    ref.current?.close();
    route(pageUrl(path));
  };
  const press = (event: JSX.TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.isComposing || commands.length === 0) return;
    const step = ARROW_STEPS[event.key];
    if (step !== undefined) setActive((active + step + commands.length) % commands.length);
    else if (event.key === 'Enter' && chosen) run(chosen.path);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog too.
    <dialog
      ref={ref}
      class="command"
      aria-label={messages.commandMenu}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) ref.current?.close();
      }}
    >
      <input
        role="combobox"
        aria-label={messages.commandField}
        aria-expanded={commands.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen && optionId(chosen.id)}
        placeholder={messages.commandField}
        autocomplete="off"
        spellcheck={false}
        maxLength={255}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <div class="results" id={`${id}-list`} role="listbox" aria-label={messages.commandResults}>
        {commands.map((command, index) => (
          // The keyboard stays in the combobox, which names the active option.
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the combobox does the same.
          <div
            key={command.id}
            id={optionId(command.id)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onPointerMove={() => setActive(index)}
            onClick={() => run(command.path)}
          >
            <span>{command.text}</span>
            <span class="quiet small">{command.kind}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && <p class="quiet">{messages.commandNone}</p>}
    </dialog>
  );
}

/** Returns the partners of the program that match the text. It waits for a short pause in typing. */
function usePartners(text: string): readonly Partner[] {
  const view = useContext(ProgramContext);
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isSearched = text !== '' && q !== '' && view?.may('partner:list') === true;
  const query = { q, pageSize: MAX_PARTNERS };
  const found = useApi<ListReply<Partner>>(`${view?.api}/partners`, query, { enabled: isSearched });
  return (isSearched && found.data?.data) || NO_PARTNERS;
}

const PAUSE_MS = 150;
const MAX_PARTNERS = 5;
const NO_PARTNERS: readonly Partner[] = [];
const ARROW_STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
