import type { JSX } from 'preact';
import * as messages from '#messages/keys.ts';
import type { Program } from '../../api/types.ts';
import { CheckField } from '../../ui/controls.tsx';
import { type KeyScope, SCOPE_GROUPS } from './scopes.ts';

/** A check box for each action, in groups. */
export function ScopeFields({
  chosen,
  onChange,
  error,
}: {
  chosen: ReadonlySet<KeyScope>;
  onChange: (chosen: ReadonlySet<KeyScope>) => void;
  error: string | null;
}): JSX.Element {
  return (
    <div class="field">
      <div class="check-groups">
        {SCOPE_GROUPS.map(({ title, scopes }) => (
          <fieldset key={title} class="checks">
            <legend>{title}</legend>
            {scopes.map((scope) => (
              <CheckField
                key={scope}
                label={messages.scopes[scope]}
                checked={chosen.has(scope)}
                onChange={(isOn) => onChange(withItem(chosen, scope, isOn))}
              />
            ))}
          </fieldset>
        ))}
      </div>
      <FieldError text={error} />
    </div>
  );
}

/** A choice: all programs, including future ones, or only selected programs. */
export function ProgramFields({
  programs,
  chosen,
  onChange,
  error,
}: {
  programs: readonly Program[];
  chosen: ReadonlySet<number> | null;
  onChange: (chosen: ReadonlySet<number> | null) => void;
  error: string | null;
}): JSX.Element {
  return (
    <fieldset class="checks">
      <legend>{messages.inPrograms}</legend>
      <CheckField
        label={messages.allPrograms}
        hint={messages.allProgramsHint}
        checked={chosen === null}
        onChange={(isAll) => onChange(isAll ? null : new Set())}
      />
      {chosen !== null &&
        programs.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={chosen.has(id)}
            onChange={(isOn) => onChange(withItem(chosen, id, isOn))}
          />
        ))}
      <FieldError text={error} />
    </fieldset>
  );
}

function FieldError({ text }: { text: string | null }): JSX.Element | null {
  return text === null ? null : (
    <span class="error" role="alert">
      {text}
    </span>
  );
}

function withItem<Item>(items: ReadonlySet<Item>, item: Item, isOn: boolean): ReadonlySet<Item> {
  const next = new Set(items);
  if (isOn) next.add(item);
  else next.delete(item);
  return next;
}
