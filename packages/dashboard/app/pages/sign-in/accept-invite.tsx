import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/sign-in.ts';
import { send } from '../../api/client.ts';
import { pageUrl } from '../../mount.ts';
import { MIN_PASSWORD } from '../../ui/min-password.ts';
import { ErrorNotice } from '../../ui/state.tsx';
import { NewPasswordForm } from '../reset/new-password-form.tsx';
import { useAction } from '../reset/use-action.ts';
import { AlonePage } from './alone-page.tsx';

/** Sets the password of an invited member or partner. The invitation is in the fragment of the URL. */
export function AcceptInvite(): JSX.Element {
  const { route } = useLocation();
  const [token] = useState(() => location.hash.slice(1));
  const { isBusy, error, run } = useAction();

  const accept = (password: string) =>
    run(async () => {
      await send('POST', '/api/auth/accept-invite', { token, password, cookie: true });
      route(pageUrl('/'), true);
    });

  if (!token.startsWith('affi_')) {
    return (
      <AlonePage title={messages.invitation}>
        <p>{messages.noInvitation}</p>
      </AlonePage>
    );
  }
  return (
    <AlonePage title={messages.acceptTitle}>
      <NewPasswordForm
        label={common.password}
        hint={messages.passwordHint(MIN_PASSWORD)}
        submit={messages.accept}
        isBusy={isBusy}
        onSubmit={(password) => void accept(password)}
      >
        {error && <ErrorNotice error={error} />}
      </NewPasswordForm>
    </AlonePage>
  );
}
