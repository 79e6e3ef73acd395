import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, send } from '../../api/client.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { ErrorNotice } from '../../ui/state.tsx';

const MIN_PASSWORD = 8;

/** Replaces the password. This ends every session and starts a new one for this browser. */
export function PasswordForm({
  email,
  currentLabel,
  onChanged,
}: {
  /** Tells password managers whose password it is. */
  email: string;
  currentLabel: string;
  onChanged: () => void;
}): JSX.Element {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const isWrong = error instanceof ApiError && error.code === 'invalid_login';
  const currentError = isWrong ? 'This password is wrong.' : current === '' ? 'Enter this password.' : null;
  const nextError =
    next.length < MIN_PASSWORD
      ? `At least ${MIN_PASSWORD} characters.`
      : next === current
        ? 'Choose a password that differs from the current one.'
        : null;

  const save = async () => {
    setChecked(true);
    setError(null);
    if (current === '' || nextError !== null) return;
    setBusy(true);
    try {
      await send('POST', '/api/auth/password', { password: current, new_password: next, cookie: true });
      setCurrent('');
      setNext('');
      setChecked(false);
      onChanged();
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void save();
      }}
    >
      <input type="email" autocomplete="username" value={email} readOnly hidden />
      <TextField
        label={currentLabel}
        type="password"
        autocomplete="current-password"
        value={current}
        onInput={(value) => {
          setError(null);
          setCurrent(value);
        }}
        error={isChecked ? currentError : null}
      />
      <TextField
        label="New password"
        type="password"
        autocomplete="new-password"
        hint="At least 8 characters. All other devices are signed out."
        value={next}
        onInput={setNext}
        error={isChecked ? nextError : null}
      />
      {error && !isWrong && <ErrorNotice error={error} />}
      <div>
        <Button type="submit" kind="primary" busy={isBusy}>
          Change password
        </Button>
      </div>
    </form>
  );
}
