import { QueryClientProvider } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { lazy, Route, Router, useLocation } from 'preact-iso';
import { onSignedOut } from '../api/client.ts';
import type { ListReply, Me, Program } from '../api/types.ts';
import { createQueryClient, useApi } from '../api/use-api.ts';
import { BASE_PATH, pageUrl } from '../mount.ts';
import { ProgramContext, SessionContext, viewOf } from '../session/session.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, ErrorNotice } from '../ui/state.tsx';
import { ToastProvider } from '../ui/toast.tsx';
import { Frame, LoadingFrame } from './frame.tsx';
import { lastProgram, rememberProgram } from './last-program.ts';
import { NotFound } from './not-found.tsx';

const Overview = lazy(() => import('../pages/overview/overview.tsx').then((module) => module.Overview));
const Why = lazy(() => import('../pages/why/why.tsx').then((module) => module.Why));
const Commissions = lazy(() =>
  import('../pages/commissions/commissions.tsx').then((module) => module.Commissions),
);
const Payouts = lazy(() => import('../pages/payouts/payouts.tsx').then((module) => module.Payouts));
const Policies = lazy(() => import('../pages/policies/policies.tsx').then((module) => module.Policies));
const Links = lazy(() => import('../pages/links/links.tsx').then((module) => module.Links));
const PartnerDetail = lazy(() =>
  import('../pages/partner/partner.tsx').then((module) => module.PartnerDetail),
);
const ImportPartners = lazy(() =>
  import('../pages/import/import-partners.tsx').then((module) => module.ImportPartners),
);
const Settings = lazy(() => import('../pages/settings/settings.tsx').then((module) => module.Settings));
const Partners = lazy(() => import('../pages/partners/partners.tsx').then((module) => module.Partners));

/** The pages of an advertiser. The cache lives as long as the session: the sign-in page unmounts it. */
export function Advertiser(): JSX.Element {
  const [client] = useState(createQueryClient);
  return (
    <QueryClientProvider client={client}>
      <ToastProvider>
        <SignedOutRedirect />
        <SignedIn />
      </ToastProvider>
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
        const next = from === '' || from === '/' ? '' : `?next=${encodeURIComponent(from)}`;
        route(pageUrl('/sign-in') + next, true);
      }),
    [url, route],
  );
  return null;
}

function SignedIn(): JSX.Element {
  const me = useApi<Me>('/api/auth/me');
  const programs = useApi<ListReply<Program>>(
    '/api/advertiser/affiliate-programs',
    { pageSize: 100 },
    { enabled: me.isSuccess },
  );
  const error = me.error ?? programs.error;
  if (error) {
    return (
      <Page title="Affkit">
        <ErrorNotice error={error} onRetry={() => void (me.error ? me.refetch() : programs.refetch())} />
      </Page>
    );
  }
  if (!me.data || !programs.data) return <LoadingFrame />;
  return (
    <SessionContext.Provider value={{ me: me.data, programs: programs.data.data }}>
      <Routes me={me.data} programs={programs.data.data} />
    </SessionContext.Provider>
  );
}

function Routes({ me, programs }: { me: Me; programs: readonly Program[] }): JSX.Element {
  const { path } = useLocation();
  const match = /^\/p\/(\d+)(?:\/|$)/.exec(path.slice(BASE_PATH.length));
  const named = match ? programs.find(({ id }) => id === Number(match[1])) : undefined;
  const program =
    named ?? (match ? undefined : (programs.find(({ id }) => id === lastProgram()) ?? programs[0]));
  const view = program === undefined ? null : viewOf(me, program);
  useEffect(() => {
    if (named) rememberProgram(named.id);
  }, [named]);
  return (
    <ProgramContext.Provider value={view}>
      <Frame>
        {match && !named ? (
          <NotFound />
        ) : (
          <Router>
            <Route path="/" component={Home} />
            <Route path="/p/:programId" component={Overview} />
            <Route path="/p/:programId/why" component={Why} />
            <Route path="/p/:programId/commissions" component={Commissions} />
            <Route path="/p/:programId/payouts" component={Payouts} />
            <Route path="/p/:programId/policies" component={Policies} />
            <Route path="/p/:programId/partners" component={Partners} />
            <Route path="/p/:programId/partners/import" component={ImportPartners} />
            <Route path="/p/:programId/partners/:partnerId" component={PartnerDetail} />
            <Route path="/p/:programId/links" component={Links} />
            <Route path="/p/:programId/settings" component={Settings} />
            <Route default component={NotFound} />
          </Router>
        )}
      </Frame>
    </ProgramContext.Provider>
  );
}

/** Leads to the program that the user looked at last. */
function Home(): JSX.Element | null {
  const { route } = useLocation();
  const view = useContext(ProgramContext);
  const target = view?.page;
  useEffect(() => {
    if (target !== undefined) route(pageUrl(target), true);
  }, [target, route]);
  if (target !== undefined) return null;
  return (
    <Page title="Welcome">
      <Empty>There is no program that you may see yet. Ask an owner of the workspace for access.</Empty>
    </Page>
  );
}
