import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/invite.ts';
import { ApiError, get, isForbidden, onSignedOut, send } from '../../api/client.ts';
import { ME } from '../../api/session-requests.ts';
import type { Me } from '../../api/types.ts';
import { pageUrl } from '../../mount.ts';
import { Button } from '../../ui/controls.tsx';
import { Link } from '../../ui/link.tsx';
import { MIN_PASSWORD } from '../../ui/min-password.ts';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { NewPasswordForm } from '../reset/new-password-form.tsx';
import { useAction } from '../reset/use-action.ts';
import { AlonePage } from './alone-page.tsx';

const readToken = () => location.hash.slice(1);

/** Accepts the invitation of a member or partner. The invitation is in the fragment of the URL. */
export function AcceptInvite(): JSX.Element {
  const [token, setToken] = useState(readToken);
  // When another link is opened in this tab, only the fragment changes.
  useEffect(() => {
    const update = () => setToken(readToken());
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  if (!token.startsWith('affi_')) {
    return (
      <AlonePage title={messages.invitation}>
        <p>{messages.noInvitation}</p>
      </AlonePage>
    );
  }
  return (
    <AlonePage title={messages.acceptTitle}>
      <Invitation key={token} token={token} />
    </AlonePage>
  );
}

/** Loads the session, because users who have an account accept in their session. */
function Invitation({ token }: { token: string }): JSX.Element {
  const { route } = useLocation();
  const [me, setMe] = useState<Me | null>();
  const loading = useAction();
  const load = () => void loading.run(async () => setMe(await findMe()));
  useEffect(() => {
    load();
    // Visitors without a session may use this page. Without this listener, the listener of the next page
    // would redirect them to the sign-in page.
    return onSignedOut(() => setMe(null));
  }, []);

  const accept = async (password?: string) => {
    await send('POST', '/api/auth/accept-invite', { token, password, cookie: true });
    const { partners } = await get<Me>(ME);
    const isPartner = partners.length > (me?.partners.length ?? 0);
    route(pageUrl(isPartner ? '/partner' : '/'), true);
  };

  if (loading.error) return <ErrorNotice error={loading.error} onRetry={load} />;
  if (me === undefined) return <Loading />;
  if (me === null) return <AcceptAsNewUser token={token} accept={accept} />;
  return <AcceptInSession email={me.user.email} accept={accept} onSignedOut={() => setMe(null)} />;
}

/** A placeholder about as high as both forms. The page is centered, so a different height would move it. */
function Loading(): JSX.Element {
  return (
    <div aria-busy="true">
      <Skeleton width="100%" height="168px" />
    </div>
  );
}

/** @returns null when nobody is signed in */
function findMe(): Promise<Me | null> {
  return get<Me>(ME).catch((error: unknown) => {
    if (hasCode(error, 'unauthenticated')) return null;
    throw error;
  });
}

type Accept = (password?: string) => Promise<void>;

/** Accepts with a new password, or leads users who have an account to the sign-in page. */
function AcceptAsNewUser({ token, accept }: { token: string; accept: Accept }): JSX.Element {
  const { isBusy, error, run } = useAction();
  // The fragment of the URL carries the invitation to the sign-in page and back. It never appears in logs.
  const signIn = `/sign-in#${token}`;
  if (hasCode(error, 'conflict')) {
    return (
      <>
        <p role="alert">{messages.hasAccount}</p>
        <div>
          <Link to={signIn} button="primary">
            {messages.signIn}
          </Link>
        </div>
      </>
    );
  }
  return (
    <>
      <NewPasswordForm
        label={common.password}
        hint={messages.passwordHint(MIN_PASSWORD)}
        submit={messages.accept}
        isBusy={isBusy}
        onSubmit={(password) => void run(() => accept(password))}
      >
        {error && <ErrorNotice error={error} />}
      </NewPasswordForm>
      <p class="small">
        <Link to={signIn}>{messages.signInToAccept}</Link>
      </p>
    </>
  );
}

function AcceptInSession({
  email,
  accept,
  onSignedOut: clearSession,
}: {
  email: string;
  accept: Accept;
  onSignedOut: () => void;
}): JSX.Element {
  const { isBusy, error, run } = useAction();
  const [needsPassword, setNeedsPassword] = useState(false);
  const signOut = () =>
    run(async () => {
      await send('POST', '/api/auth/logout');
      clearSession();
    });
  const submit = (password?: string) =>
    run(async () => {
      await accept(password).catch((failure: unknown) => {
        if (!hasCode(failure, 'password_change_required')) throw failure;
        setNeedsPassword(true);
      });
    });
  const signOutButton = (
    <Button kind="plain" busy={isBusy} onClick={() => void signOut()}>
      {messages.signOutToAccept}
    </Button>
  );
  if (isForbidden(error)) {
    return (
      <>
        <p role="alert">{messages.otherAddress(email)}</p>
        <div>{signOutButton}</div>
      </>
    );
  }
  return (
    <>
      <p>{needsPassword ? messages.ownPassword(email) : messages.acceptAs(email)}</p>
      {needsPassword ? (
        <NewPasswordForm
          label={common.password}
          hint={messages.passwordHint(MIN_PASSWORD)}
          submit={messages.accept}
          isBusy={isBusy}
          onSubmit={(password) => void submit(password)}
        >
          {error && <ErrorNotice error={error} />}
        </NewPasswordForm>
      ) : (
        <>
          {error && <ErrorNotice error={error} />}
          <Button kind="primary" busy={isBusy} onClick={() => void submit()}>
            {messages.accept}
          </Button>
        </>
      )}
      <div>{signOutButton}</div>
    </>
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}
