import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/invite.ts';
import { ApiError, get, onSignedOut, send } from '../../api/client.ts';
import { changeSession } from '../../api/session-channel.ts';
import { ME } from '../../api/session-requests.ts';
import type { ItemReply, Me, OpenInvite } from '../../api/types.ts';
import { pageUrl } from '../../mount.ts';
import { Link } from '../../ui/link.tsx';
import { MIN_PASSWORD } from '../../ui/min-password.ts';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { NewPasswordForm } from '../reset/new-password-form.tsx';
import { useAction } from '../reset/use-action.ts';
import { type Accept, AcceptInSession, isInvalid, UsedInvitation } from './accept-in-session.tsx';
import { AlonePage } from './alone-page.tsx';

const readToken = () => location.hash.slice(1);

/** Accepts the invitation of a member or partner. The invitation is in the fragment of the URL. */
export function AcceptInvite(): JSX.Element {
  const [token, setToken] = useState(readToken);
  // If the user opens another link in this tab, only the fragment changes, so the browser does not reload the page.
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
      <Invitation token={token} />
    </AlonePage>
  );
}

/**
 * Loads the session, because users who are signed in get a different form. When the token changes, this
 * component stays mounted and replaces only the form. It therefore still gets the result of a sign-out that is
 * in progress.
 */
function Invitation({ token }: { token: string }): JSX.Element {
  const { route } = useLocation();
  const [me, setMe] = useState<Me | null>();
  const loading = useAction();
  const load = () => void loading.run(async () => setMe(await findMe()));
  useEffect(() => {
    load();
    // A visitor without a session may use this page. `findMe` then gets the reply that nobody is signed in. If this
    // page had no listener, the listener of the next page would react to that reply and open the sign-in page.
    return onSignedOut(() => setMe(null));
  }, []);

  const accept: Accept = async (passwords) => {
    await changeSession('/api/auth/accept-invite', { token, ...passwords, cookie: true });
    // The invitation is used now. If this request fails, the next page offers to retry it.
    const next = await get<Me>(ME).catch(() => me);
    const isPartner = (next?.partners.length ?? 0) > (me?.partners.length ?? 0);
    route(pageUrl(isPartner ? '/partner' : '/'), true);
  };

  if (loading.error) return <ErrorNotice error={loading.error} onRetry={load} />;
  if (me === undefined) return <Loading />;
  return <AcceptForm key={token} token={token} me={me} accept={accept} onSignedOut={() => setMe(null)} />;
}

/** Says who is invited by which workspace, with a form that accepts the invitation. */
function AcceptForm({
  token,
  me,
  accept,
  onSignedOut: clearSession,
}: {
  token: string;
  me: Me | null;
  accept: Accept;
  onSignedOut: () => void;
}): JSX.Element {
  const [invite, setInvite] = useState<OpenInvite | null>();
  const loading = useAction();
  const load = () => void loading.run(async () => setInvite(await findInvite(token)));
  useEffect(load, []);
  if (loading.error) return <ErrorNotice error={loading.error} onRetry={load} />;
  if (invite === undefined) return <Loading />;
  return (
    <>
      {invite && <p>{messages.invites(invite)}</p>}
      {me ? (
        <AcceptInSession email={me.user.email} invite={invite} accept={accept} onSignedOut={clearSession} />
      ) : (
        <AcceptAsNewUser token={token} invite={invite} accept={accept} />
      )}
    </>
  );
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
    if (error instanceof ApiError && error.code === 'unauthenticated') return null;
    throw error;
  });
}

/** @returns null if the invitation is unknown, expired, or already accepted */
async function findInvite(token: string): Promise<OpenInvite | null> {
  try {
    return (await send<ItemReply<OpenInvite>>('POST', '/api/auth/invite', { token })).data;
  } catch (error) {
    if (isInvalid(error)) return null;
    throw error;
  }
}

/** Accepts the invitation with a new password. Users who have an account get a link to the sign-in page. */
function AcceptAsNewUser({
  token,
  invite,
  accept,
}: {
  token: string;
  invite: OpenInvite | null;
  accept: Accept;
}): JSX.Element {
  const { isBusy, error, run } = useAction();
  if (invite === null || isInvalid(error)) {
    return (
      <UsedInvitation>
        <Link to="/sign-in" button="primary">
          {messages.signIn}
        </Link>
      </UsedInvitation>
    );
  }
  // The fragment of the URL carries the invitation to the sign-in page and back. It never appears in logs.
  const signIn = `/sign-in#${token}`;
  if (error instanceof ApiError && error.code === 'conflict') {
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
        email={invite.email}
        label={common.password}
        hint={messages.passwordHint(MIN_PASSWORD)}
        submit={messages.accept}
        isBusy={isBusy}
        onSubmit={(password) => void run(() => accept({ password }))}
      >
        {error && <ErrorNotice error={error} />}
      </NewPasswordForm>
      <p class="small">
        <Link to={signIn}>{messages.signInToAccept}</Link>
      </p>
    </>
  );
}
