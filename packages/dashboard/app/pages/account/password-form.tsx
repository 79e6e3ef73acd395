import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/account.ts';
import * as common from '#messages/common.ts';
import { ApiError, send } from '../../api/client.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { MIN_PASSWORD } from '../../ui/min-password.ts';
import { ErrorNotice } from '../../ui/state.tsx';
import { UsernameField } from '../../ui/username-field.tsx';

/** Replaces the password. All sessions end, and a new session starts in this browser. */
export function PasswordForm({
  email,
  currentLabel,
  onChanged,
}: {
  /** Tells password managers which account the password belongs to. */
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
  const currentError = isWrong ? messages.passwordWrong : current === '' ? messages.passwordMissing : null;
  const nextError =
    next.length < MIN_PASSWORD
      ? common.passwordShort(MIN_PASSWORD)
      : next === current
        ? messages.passwordSame
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
      <UsernameField email={email} />
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
        label={messages.newPassword}
        type="password"
        autocomplete="new-password"
        hint={messages.newPasswordHint(MIN_PASSWORD)}
        value={next}
        onInput={setNext}
        error={isChecked ? nextError : null}
      />
      {error && !isWrong && <ErrorNotice error={error} />}
      <div>
        <Button type="submit" kind="primary" busy={isBusy}>
          {messages.changePassword}
        </Button>
      </div>
    </form>
  );
}
