import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/sign-in.tsx';
import { send } from '../../api/client.ts';
import { pageUrl } from '../../mount.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { ErrorNotice } from '../../ui/state.tsx';
import { AlonePage } from './alone-page.tsx';

const MIN_PASSWORD = 8;

/** Sets the password of an invited member or partner. The invitation is in the fragment of the URL. */
export function AcceptInvite(): JSX.Element {
  const { route } = useLocation();
  const [token] = useState(() => location.hash.slice(1));
  const [password, setPassword] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isShort = password !== '' && password.length < MIN_PASSWORD;

  const accept = async () => {
    setBusy(true);
    setError(null);
    try {
      await send('POST', '/api/auth/accept-invite', { token, password, cookie: true });
      route(pageUrl('/'), true);
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
      setBusy(false);
    }
  };

  if (!token.startsWith('affi_')) {
    return (
      <AlonePage title={messages.invitation}>
        <p>{messages.noInvitation}</p>
      </AlonePage>
    );
  }
  return (
    <AlonePage title={messages.acceptTitle}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && password.length >= MIN_PASSWORD) void accept();
        }}
      >
        <TextField
          label={common.password}
          type="password"
          autocomplete="new-password"
          autofocus
          hint={messages.passwordHint(MIN_PASSWORD)}
          error={isShort ? common.passwordShort(MIN_PASSWORD) : null}
          value={password}
          onInput={setPassword}
        />
        {error && <ErrorNotice error={error} />}
        <Button type="submit" kind="primary" busy={isBusy} disabled={password.length < MIN_PASSWORD}>
          {messages.accept}
        </Button>
      </form>
    </AlonePage>
  );
}
