import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/shell.ts';
import { pageUrl } from '../mount.ts';
import { DialogToasts } from '../ui/toast.tsx';
import type { Command } from './rank-commands.ts';

/** Opens pages and starts actions by their name. A combobox with a list below it, in a modal dialog. */
export function CommandMenu({
  field,
  none,
  useCommands,
  onClose,
}: {
  /** Label of the field. */
  field: string;
  /** What the menu says when nothing matches. */
  none: string;
  /** Returns the entries that match the text, best first. */
  useCommands: (text: string) => readonly Command[];
  onClose: () => void;
}): JSX.Element {
  const { route } = useLocation();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const commands = useCommands(text);
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
        aria-label={field}
        aria-expanded={commands.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen && optionId(chosen.id)}
        placeholder={field}
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
          // The combobox keeps the focus and names the active option.
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
      {commands.length === 0 && <p class="quiet">{none}</p>}
      <DialogToasts />
    </dialog>
  );
}

const ARROW_STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
