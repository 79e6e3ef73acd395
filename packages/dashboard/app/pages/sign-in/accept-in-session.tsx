import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as account from '#messages/account.ts';
import * as messages from '#messages/invite.ts';
import { ApiError, isForbidden } from '../../api/client.ts';
import { changeSession } from '../../api/session-channel.ts';
import type { OpenInvite } from '../../api/types.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { Link } from '../../ui/link.tsx';
import { MIN_PASSWORD } from '../../ui/min-password.ts';
import { ErrorNotice } from '../../ui/state.tsx';
import { UsernameField } from '../../ui/username-field.tsx';
import { NewPasswordForm } from '../reset/new-password-form.tsx';
import { useAction } from '../reset/use-action.ts';

/** Accepts the invitation. `password` is a new password. `current_password` confirms an existing account. */
export type Accept = (passwords?: {
  readonly password?: string;
  readonly current_password?: string;
}) => Promise<void>;

/** What the page asks for. `confirm`: the current password. `replace`: a new password. */
type Step = 'accept' | 'confirm' | 'replace';

const NEXT_STEPS: Readonly<Record<string, Step>> = {
  password_required: 'confirm',
  password_change_required: 'replace',
};

/** Lets the user who is signed in accept the invitation. */
export function AcceptInSession({
  email,
  invite,
  accept,
  onSignedOut: clearSession,
}: {
  email: string;
  /** Null if the invitation cannot be accepted. */
  invite: OpenInvite | null;
  accept: Accept;
  onSignedOut: () => void;
}): JSX.Element {
  const { isBusy, error, run } = useAction();
  const [step, setStep] = useState<Step>('accept');
  const signOut = () =>
    run(async () => {
      await changeSession('/api/auth/logout');
      clearSession();
    });
  const submit: Accept = (passwords) =>
    run(async () => {
      await accept(passwords).catch((failure: unknown) => {
        const next = failure instanceof ApiError ? NEXT_STEPS[failure.code] : undefined;
        if (next === undefined) throw failure;
        setStep(next);
      });
    });
  const signOutButton = (
    <Button kind="plain" busy={isBusy} onClick={() => void signOut()}>
      {messages.signOutToAccept}
    </Button>
  );
  if ((invite && invite.email !== email) || isForbidden(error)) {
    return (
      <>
        <p role="alert">{messages.otherAddress(email)}</p>
        {signOutButton}
      </>
    );
  }
  if (invite === null || isInvalid(error)) {
    return (
      <UsedInvitation>
        <Link to="/" button="primary">
          {messages.openDashboard}
        </Link>
        {signOutButton}
      </UsedInvitation>
    );
  }
  return (
    <>
      <p>{messages.stepTexts[step](email)}</p>
      {step === 'accept' && (
        <>
          {error && <ErrorNotice error={error} />}
          <Button kind="primary" busy={isBusy} onClick={() => void submit()}>
            {messages.accept}
          </Button>
        </>
      )}
      {step === 'confirm' && (
        <ConfirmPassword
          email={email}
          isBusy={isBusy}
          error={error}
          onSubmit={(current_password) => void submit({ current_password })}
          onReplace={() => setStep('replace')}
        />
      )}
      {step === 'replace' && (
        <NewPasswordForm
          email={email}
          label={account.newPassword}
          hint={messages.passwordHint(MIN_PASSWORD)}
          submit={messages.accept}
          isBusy={isBusy}
          onSubmit={(password) => void submit({ password })}
        >
          {error && <ErrorNotice error={error} />}
        </NewPasswordForm>
      )}
      {signOutButton}
    </>
  );
}

/** Whether the invitation is unknown, expired, or already accepted. */
export function isInvalid(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invite_invalid';
}

/** Says that the invitation cannot be used, with links for a user who has accepted it before. */
export function UsedInvitation({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <>
      <p role="alert">{messages.used}</p>
      <div class="row">{children}</div>
    </>
  );
}

/** Asks for the current password. Users who got it from another person can replace it instead. */
function ConfirmPassword({
  email,
  isBusy,
  error,
  onSubmit,
  onReplace,
}: {
  email: string;
  isBusy: boolean;
  error: Error | null;
  onSubmit: (password: string) => void;
  onReplace: () => void;
}): JSX.Element {
  const [password, setPassword] = useState('');
  const isWrong = error instanceof ApiError && error.code === 'password_wrong';
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && password !== '') onSubmit(password);
      }}
    >
      <UsernameField email={email} />
      <TextField
        label={messages.yourPassword}
        type="password"
        autocomplete="current-password"
        autofocus
        error={isWrong ? account.passwordWrong : null}
        value={password}
        onInput={setPassword}
      />
      {error && !isWrong && <ErrorNotice error={error} />}
      <Button type="submit" kind="primary" busy={isBusy} disabled={password === ''}>
        {messages.accept}
      </Button>
      <div>
        <Button kind="plain" onClick={onReplace}>
          {messages.passwordOfOthers}
        </Button>
      </div>
    </form>
  );
}
