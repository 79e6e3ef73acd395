import type { ComponentChildren, JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

export interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly icon?: IconName;
  /** The accessible name of a button that has only an icon. */
  readonly label?: string;
  readonly type?: 'button' | 'submit';
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly onClick?: () => void;
  /** For a button that opens an element: whether the element is open, and its id. */
  readonly expanded?: boolean;
  readonly controls?: string;
}

/**
 * A button. While `busy`, it remains focusable but ignores clicks. After a click, it also ignores further clicks until
 * two timers have run, because `busy` becomes true only in a timer.
 */
export function Button({
  children,
  kind,
  icon,
  label,
  type = 'button',
  busy = false,
  disabled = false,
  onClick,
  expanded,
  controls,
}: ButtonProps): JSX.Element {
  const isOff = busy || disabled;
  const isPressed = useRef(false);
  return (
    <button
      type={type}
      class={['button', kind, children === undefined && 'square'].filter(Boolean).join(' ')}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-disabled={isOff}
      aria-busy={busy}
      aria-expanded={expanded}
      aria-controls={controls}
      onClick={(event) => {
        if (isOff || isPressed.current) return event.preventDefault();
        isPressed.current = true;
        // A mutation becomes pending in a timer, which runs before the inner timer.
        setTimeout(() =>
          setTimeout(() => {
            isPressed.current = false;
          }),
        );
        onClick?.();
      }}
    >
      {icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}

export interface FieldTexts {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null | undefined;
}

/** A control with a label, a hint and an error. `children` receives the attributes of the control. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldTexts & {
  children: (control: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }) => ComponentChildren;
}): JSX.Element {
  const id = useId();
  const texts = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': texts || undefined, 'aria-invalid': Boolean(error) })}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

export interface TextFieldProps extends FieldTexts {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'url' | 'date' | 'number';
  readonly inputMode?: 'decimal' | 'numeric';
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly autofocus?: boolean;
}

/**
 * Focuses the field. In a dialog, it sets `autofocus`, so that the dialog focuses the field when it opens.
 * The attribute must not be used elsewhere, because Chromium logs a message if another element already has
 * the focus.
 */
function focusFirst(field: HTMLInputElement | null): void {
  if (field?.closest('dialog')) field.setAttribute('autofocus', '');
  else field?.focus();
}

export function TextField({
  label,
  hint,
  error,
  value,
  onInput,
  type = 'text',
  autofocus = false,
  ...rest
}: TextFieldProps): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          {...rest}
          {...(autofocus && { ref: focusFirst })}
          class="input"
          type={type}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly text: string;
}

export interface SelectFieldProps<Value extends string> extends FieldTexts {
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean;
}

export function SelectField<Value extends string>({
  label,
  hint,
  error,
  ...select
}: SelectFieldProps<Value>): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...select} control={control} />}
    </Field>
  );
}

/** A `<select>` without a visible label, used for filters. */
export function Select<Value extends string>({
  value,
  choices,
  onChange,
  label,
  disabled,
  isWide,
  control,
}: {
  value: Value;
  choices: readonly Choice<Value>[];
  onChange: (value: Value) => void;
  label?: string;
  disabled?: boolean;
  /**
   * Whether to use the maximum width. Set it if choices are loaded later, so that they do not change the width.
   */
  isWide?: boolean;
  control?: object;
}): JSX.Element {
  return (
    <select
      {...control}
      class={isWide ? 'input wide' : 'input'}
      aria-label={label}
      disabled={disabled}
      value={value}
      onChange={({ currentTarget }) => {
        // The cast is safe, because each `<option>` has the value of one of the `choices`.
        const chosen = currentTarget.value as Value;
        // If the parent ignores the choice, nothing is rendered again. Reset the field, so that it still shows `value`.
        currentTarget.value = value;
        onChange(chosen);
      }}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.text}
        </option>
      ))}
    </select>
  );
}

export function CheckField({
  label,
  hint,
  checked,
  onChange,
}: {
  label: ComponentChildren;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {hint && <span class="sub">{hint}</span>}
      </span>
    </label>
  );
}

/** A row of buttons, exactly one of which is pressed. */
export function Segments<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string;
  value: Value | null;
  choices: readonly Choice<Value>[];
  onChange: (value: Value) => void;
}): JSX.Element {
  return (
    <fieldset class="segments" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.text}
        </button>
      ))}
    </fieldset>
  );
}
