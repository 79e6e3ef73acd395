import type { JSX } from 'preact';
import { Field, type FieldTexts } from './controls.tsx';

interface TextAreaProps extends FieldTexts {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly rows?: number;
  readonly placeholder?: string;
}

export function TextArea({
  label,
  hint,
  error,
  value,
  onInput,
  rows = 3,
  placeholder,
}: TextAreaProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          {...control}
          class="input"
          rows={rows}
          placeholder={placeholder}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
