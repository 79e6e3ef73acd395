import { QueryClientProvider, type QueryKey, useQuery } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import { ApiError, onSignedOut } from '../api/client.ts';
import { sessionChannel } from '../api/session-channel.ts';
import { ME } from '../api/session-requests.ts';
import type { Me } from '../api/types.ts';
import { apiQuery } from '../api/use-api.ts';
import { BASE_PATH, pageUrl } from '../mount.ts';
import { leaveGuards } from '../ui/guarded-location.tsx';
import { Page } from '../ui/page.tsx';
import { ErrorNotice, RetryContext } from '../ui/state.tsx';
import { ToastProvider } from '../ui/toast.tsx';
import { takeFirstClient } from './first-load.ts';
import { LoadingFrame } from './frame.tsx';
import { lazyPage } from './lazy-page.tsx';

const ReplacePassword = lazyPage(() =>
  import('../pages/account/replace-password.tsx').then((module) => module.ReplacePassword),
);

/**
 * Wraps all pages of a role. The query cache is discarded when the session ends, because the sign-in page
 * unmounts this component.
 */
export function SignedInApp({ children }: { children: ComponentChildren }): JSX.Element {
  const [client] = useState(takeFirstClient);
  const retryAll = () =>
    void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  return (
    <QueryClientProvider client={client}>
      <RetryContext.Provider value={retryAll}>
        <ToastProvider>
          <SignedOutRedirect />
          {children}
        </ToastProvider>
      </RetryContext.Provider>
    </QueryClientProvider>
  );
}

/** Goes to the sign-in page when the session ends, and back after the next sign-in. */
function SignedOutRedirect(): null {
  const { url, route } = useLocation();
  useEffect(
    () =>
      onSignedOut(() => {
        const from = url.slice(BASE_PATH.length);
        // Ignore further failed requests after the redirect. This component is mounted until the sign-in page
        // is loaded.
        if (from.startsWith('/sign-in')) return;
        const next = from === '' || from === '/' ? '' : `?next=${encodeURIComponent(from)}`;
        // Unsaved changes can no longer be saved, so do not ask about them.
        leaveGuards.clear();
        route(pageUrl('/sign-in') + next, true);
      }),
    [url, route],
  );
  return null;
}

/**
 * Loads the user and the data that every page of a role needs, and then shows the pages. The user is loaded again when
 * another tab changes the session, and when the user returns to this tab.
 */
export function SessionGate<T>({
  query,
  children,
}: {
  query: { readonly queryKey: QueryKey; readonly queryFn: (context: { signal: AbortSignal }) => Promise<T> };
  children: (me: Me, data: T) => JSX.Element;
}): JSX.Element {
  const me = useQuery({ ...apiQuery<Me>(ME), retryOnMount: false });
  const userId = me.data?.user.id;
  const [firstId, setFirstId] = useState(userId);
  useEffect(() => {
    if (firstId === undefined) setFirstId(userId);
    else if (firstId !== userId) {
      leaveGuards.clear();
      location.reload();
    }
  }, [firstId, userId]);
  useEffect(() => {
    const check = () => void me.refetch({ cancelRefetch: false });
    addEventListener('focus', check);
    // A pending request may belong to the earlier session. `refetch` cancels it.
    sessionChannel.onmessage = () => void me.refetch();
    return () => {
      sessionChannel.onmessage = null;
      removeEventListener('focus', check);
    };
  }, []);
  const data = useQuery<T>({ ...query, retryOnMount: false });
  // If both requests fail, the error of `me` is shown. If the user must set a new password, only `data` fails. An
  // error is shown only before the first reply. If a later refresh fails, the pages stay visible.
  const failed = me.data === undefined ? me : data;
  const error = failed.data === undefined && failed.error;
  if (me.data && error instanceof ApiError && error.code === 'password_change_required') {
    return <ReplacePassword email={me.data.user.email} />;
  }
  // `SignedOutRedirect` handles this error.
  const isSignedOut = error instanceof ApiError && error.code === 'unauthenticated';
  if (error && !isSignedOut) {
    return (
      <Page title={common.brand}>
        <ErrorNotice error={error} onRetry={() => void failed.refetch()} />
      </Page>
    );
  }
  return me.data && data.data !== undefined ? children(me.data, data.data) : <LoadingFrame />;
}
