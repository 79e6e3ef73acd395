import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { send } from '../../api/client.ts';
import { pageUrl } from '../../mount.ts';
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
      <AlonePage title="Invitation">
        <p>This link has no invitation. Open the whole link that you received, up to its last character.</p>
      </AlonePage>
    );
  }
  return (
    <AlonePage title="Accept the invitation">
      <NewPasswordForm
        label="Password"
        hint="Choose a password of at least 8 characters. If you have an account here already, enter its password."
        submit="Accept"
        isBusy={isBusy}
        onSubmit={(password) => void accept(password)}
      >
        {error && <ErrorNotice error={error} />}
      </NewPasswordForm>
    </AlonePage>
  );
}
