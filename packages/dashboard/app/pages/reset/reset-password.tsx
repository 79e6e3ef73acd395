import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/reset.ts';
import { ApiError } from '../../api/client.ts';
import { changeSession } from '../../api/session-channel.ts';
import { pageUrl } from '../../mount.ts';
import { Link } from '../../ui/link.tsx';
import { ErrorNotice } from '../../ui/state.tsx';
import { AlonePage } from '../sign-in/alone-page.tsx';
import { NewPasswordForm } from './new-password-form.tsx';
import { useAction } from './use-action.ts';

const readResetCode = () => location.hash.slice(1);

/** Sets a new password with the code in the fragment of the URL, and signs the user in. */
export function ResetPassword(): JSX.Element {
  const [code, setCode] = useState(readResetCode);
  // If the user opens another link in this tab, only the fragment changes, so the browser does not reload the page.
  useEffect(() => {
    const update = () => setCode(readResetCode());
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return (
    <AlonePage title={messages.resetTitle}>
      {code.startsWith('affr_') ? <ResetForm key={code} code={code} /> : <NewLink reason={messages.noCode} />}
    </AlonePage>
  );
}

function ResetForm({ code }: { code: string }): JSX.Element {
  const { route } = useLocation();
  const { isBusy, error, run } = useAction();
  const reset = (password: string) =>
    run(async () => {
      await changeSession('/api/auth/password-reset/confirm', { token: code, password, cookie: true });
      route(pageUrl('/'), true);
    });
  if (error instanceof ApiError && error.code === 'reset_code_invalid') {
    return <NewLink reason={messages.invalid} />;
  }
  return (
    <NewPasswordForm
      label={messages.password}
      hint={messages.resetHint}
      submit={messages.save}
      isBusy={isBusy}
      onSubmit={(password) => void reset(password)}
    >
      {error && <ErrorNotice error={error} />}
    </NewPasswordForm>
  );
}

/** Explains why the link cannot be used, and how to get a new link. */
function NewLink({ reason }: { reason: string }): JSX.Element {
  return (
    <>
      <p role="alert">{reason}</p>
      <div class="row">
        <Link to="/forgot-password" button="primary">
          {messages.getNewLink}
        </Link>
        <Link to="/sign-in">{messages.backToSignIn}</Link>
      </div>
    </>
  );
}
