import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { MIN_PASSWORD } from '../../ui/min-password.ts';
import { UsernameField } from '../../ui/username-field.tsx';

/** A form that sets a password with the code of a link. */
export function NewPasswordForm({
  email,
  label,
  hint,
  submit,
  isBusy,
  onSubmit,
  children,
}: {
  /** The user's email address, if the page knows it. The link contains only a code. */
  email?: string;
  label: string;
  hint: string;
  submit: string;
  isBusy: boolean;
  onSubmit: (password: string) => void;
  /** The errors of the last attempt. */
  children?: JSX.Element | null;
}): JSX.Element {
  const [password, setPassword] = useState('');
  const isShort = password.length < MIN_PASSWORD;
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && !isShort) onSubmit(password);
      }}
    >
      {email !== undefined && <UsernameField email={email} />}
      <TextField
        label={label}
        type="password"
        autocomplete="new-password"
        autofocus
        hint={hint}
        error={password !== '' && isShort ? common.passwordShort(MIN_PASSWORD) : null}
        value={password}
        onInput={setPassword}
      />
      {children}
      <Button type="submit" kind="primary" busy={isBusy} disabled={isShort}>
        {submit}
      </Button>
    </form>
  );
}
