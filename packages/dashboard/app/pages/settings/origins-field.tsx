import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import * as messages from '#messages/settings.tsx';
import { Button } from '../../ui/controls.tsx';

/** A list of origins, each in its own field. `value` contains one origin per line. */
export function OriginsField({
  label,
  hint,
  error,
  value,
  isReadOnly,
  onChange,
}: {
  label: string;
  hint: string;
  error: string | undefined;
  value: string;
  isReadOnly: boolean;
  onChange: (value: string) => void;
}): JSX.Element {
  const id = useId();
  const lines = value.split('\n');
  const set = (next: readonly string[]) => onChange(next.join('\n'));
  return (
    <fieldset class="field plain" aria-describedby={`${id}-hint${error ? ` ${id}-error` : ''}`}>
      <legend class="label">{label}</legend>
      {lines.map((line, index) => (
        <div key={index} class="row tight">
          <input
            class="input grow"
            aria-label={messages.origin(index + 1)}
            placeholder={messages.originExample}
            value={line}
            onInput={({ currentTarget }) =>
              set(lines.map((other, at) => (at === index ? currentTarget.value.trim() : other)))
            }
          />
          {!isReadOnly && (
            <Button
              kind="plain"
              icon="close"
              label={messages.removeOrigin(index + 1)}
              onClick={() => set(lines.filter((_, at) => at !== index))}
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <div>
          <Button onClick={() => set([...lines, ''])}>{messages.addOrigin}</Button>
        </div>
      )}
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
      {error && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </fieldset>
  );
}
