import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/sign-in.ts';
import { ApiError, get } from '../../api/client.ts';
import { changeSession, sessionChannel } from '../../api/session-channel.ts';
import { ME } from '../../api/session-requests.ts';
import { pageUrl } from '../../mount.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { focusInvalid } from '../../ui/focus-invalid.ts';
import { Link } from '../../ui/link.tsx';
import { ErrorNotice } from '../../ui/state.tsx';
import { AlonePage } from './alone-page.tsx';
import { typedEmail } from './typed-email.ts';

interface SignedIn {
  readonly password_change_required?: true;
}

/** A sign-in code in the fragment of the URL. Fragments never appear in logs. */
const SIGN_IN_CODE_HASH = /^#(affs_[\w-]+)$/;

export function SignIn(): JSX.Element {
  const { query, route } = useLocation();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const emailError = email.includes('@') ? null : common.emailMissing;
  const passwordError = password === '' ? messages.passwordMissing : null;

  const signIn = async (credentials: object) => {
    setBusy(true);
    setError(null);
    try {
      const reply = await changeSession<SignedIn>('/api/auth/login', { ...credentials, cookie: true });
      typedEmail.value = '';
      route(pageUrl(nextPath(reply, query['next'])), true);
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
      setBusy(false);
    }
  };

  useEffect(() => {
    const code = SIGN_IN_CODE_HASH.exec(location.hash)?.[1];
    if (code === undefined) return;
    history.replaceState(null, '', location.pathname + location.search);
    void signIn({ code });
  }, []);

  useEffect(() => {
    const next = () => route(pageUrl(nextPath({}, query['next'])), true);
    // After a sign-in in another tab, this page opens the next page too. After a sign-out, the request fails.
    sessionChannel.onmessage = () => void get(ME).then(next, () => {});
    return () => {
      sessionChannel.onmessage = null;
    };
  }, []);

  return (
    <AlonePage title={messages.title}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (emailError ?? passwordError) focusInvalid(event.currentTarget);
          else if (!isBusy) void signIn({ email, password });
        }}
      >
        <TextField
          label={common.email}
          type="email"
          autocomplete="username"
          autofocus
          error={isChecked ? emailError : null}
          value={email}
          onInput={(text) => {
            typedEmail.value = text;
            setEmail(text);
          }}
        />
        <TextField
          label={common.password}
          type="password"
          autocomplete="current-password"
          error={isChecked ? passwordError : null}
          value={password}
          onInput={setPassword}
        />
        {error && <SignInError error={error} />}
        <Button type="submit" kind="primary" busy={isBusy}>
          {messages.submit}
        </Button>
        <p class="small">
          <Link to="/forgot-password">{messages.forgotPassword}</Link>
        </p>
        <p class="quiet small">{messages.noAccount}</p>
      </form>
    </AlonePage>
  );
}

function SignInError({ error }: { error: Error }): JSX.Element {
  const text = error instanceof ApiError && textOf(error);
  return text ? (
    <div class="notice bad" role="alert">
      {text}
    </div>
  ) : (
    <ErrorNotice error={error} />
  );
}

/** Returns the text for errors that the user can solve, or null. */
function textOf({ code, retryAfterSeconds }: ApiError): string | null {
  if (code === 'invalid_login') return messages.wrong;
  if (code !== 'login_rate_limited' || retryAfterSeconds === null) return null;
  return messages.tooMany(Math.ceil(retryAfterSeconds / 60));
}

/** Returns the page to open after the sign-in: an invitation in the fragment of the URL comes first. */
function nextPath({ password_change_required: isTemporary }: SignedIn, next?: string): string {
  if (location.hash.startsWith('#affi_')) return `/invite${location.hash}`;
  return isTemporary ? '/account' : safePath(next);
}

/**
 * Returns a path of the dashboard from the URL. Other values are ignored, because they could lead to another
 * site.
 */
function safePath(path = '/'): string {
  const target = pageUrl(path);
  if (!URL.canParse(target, location.origin)) return '/';
  const { origin, pathname } = new URL(target, location.origin);
  return origin === location.origin && pathname.startsWith(pageUrl('/')) ? path : '/';
}
