import { QueryClientProvider } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { Route, Router, useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import { ApiError, onSignedOut } from '../api/client.ts';
import type { ListReply, Me, Program } from '../api/types.ts';
import { createQueryClient, useApi } from '../api/use-api.ts';
import { BASE_PATH, pageUrl } from '../mount.ts';
import {
  ProgramContext,
  SessionContext,
  useSession,
  viewOf,
  WorkspaceContext,
  workspaceOf,
} from '../session/session.tsx';
import { Page } from '../ui/page.tsx';
import { ErrorNotice } from '../ui/state.tsx';
import { ToastProvider } from '../ui/toast.tsx';
import { Frame, LoadingFrame } from './frame.tsx';
import { lastProgram, rememberProgram } from './last-program.ts';
import { lazyPage } from './lazy-page.tsx';
import { NotFound } from './not-found.tsx';

const Overview = lazyPage(() => import('../pages/overview/overview.tsx').then((module) => module.Overview));
const Why = lazyPage(() => import('../pages/why/why.tsx').then((module) => module.Why));
const Commissions = lazyPage(() =>
  import('../pages/commissions/commissions.tsx').then((module) => module.Commissions),
);
const Payouts = lazyPage(() => import('../pages/payouts/payouts.tsx').then((module) => module.Payouts));
const Policies = lazyPage(() => import('../pages/policies/policies.tsx').then((module) => module.Policies));
const Events = lazyPage(() => import('../pages/events/events.tsx').then((module) => module.Events));
const Setup = lazyPage(() => import('../pages/setup/setup.tsx').then((module) => module.Setup));
const Welcome = lazyPage(() => import('../pages/welcome/welcome.tsx').then((module) => module.Welcome));
const Links = lazyPage(() => import('../pages/links/links.tsx').then((module) => module.Links));
const PartnerDetail = lazyPage(() =>
  import('../pages/partner/partner.tsx').then((module) => module.PartnerDetail),
);
const ImportPartners = lazyPage(() =>
  import('../pages/import/import-partners.tsx').then((module) => module.ImportPartners),
);
const Settings = lazyPage(() => import('../pages/settings/settings.tsx').then((module) => module.Settings));
const Partners = lazyPage(() => import('../pages/partners/partners.tsx').then((module) => module.Partners));

const Members = lazyPage(() => import('../pages/members/members.tsx').then((module) => module.Members));
const ApiKeys = lazyPage(() => import('../pages/keys/keys.tsx').then((module) => module.ApiKeys));
const AuditLog = lazyPage(() => import('../pages/audit/audit.tsx').then((module) => module.AuditLog));
const Processor = lazyPage(() =>
  import('../pages/processor/processor.tsx').then((module) => module.Processor),
);
const Account = lazyPage(() => import('../pages/account/account.tsx').then((module) => module.Account));
const ReplacePassword = lazyPage(() =>
  import('../pages/account/replace-password.tsx').then((module) => module.ReplacePassword),
);
const Notifications = lazyPage(() =>
  import('../pages/notifications/notifications.tsx').then((module) => module.Notifications),
);

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
  const programs = useApi<ListReply<Program>>('/api/advertiser/affiliate-programs', { pageSize: 100 });
  // If both requests fail, the error of the first is shown. A required new password makes only the second request fail.
  const error = me.error ?? (me.data && programs.error);
  if (me.data && error instanceof ApiError && error.code === 'password_change_required') {
    return <ReplacePassword email={me.data.user.email} />;
  }
  if (error) {
    return (
      <Page title={common.brand}>
        <ErrorNotice error={error} onRetry={() => void (me.error ? me.refetch() : programs.refetch())} />
      </Page>
    );
  }
  if (!me.data || !programs.data) return <LoadingFrame />;
  return (
    <SessionContext.Provider value={{ me: me.data, programs: programs.data.data }}>
      <Routes />
    </SessionContext.Provider>
  );
}

function Routes(): JSX.Element {
  const session = useSession();
  const { me, programs } = session;
  const { path } = useLocation();
  const [, group, number] = /^\/([pw])\/(\d+)(?:\/|$)/.exec(path.slice(BASE_PATH.length)) ?? [];
  const id = Number(number);
  const named = group === 'p' ? programs.find((program) => program.id === id) : undefined;
  const candidates = group === 'w' ? programs.filter(({ workspace_id }) => workspace_id === id) : programs;
  const program =
    group === 'p' ? named : (candidates.find((program) => program.id === lastProgram()) ?? candidates[0]);
  const view = program === undefined ? null : viewOf(me, program);
  const workspace = workspaceOf(
    session,
    group === 'w' ? id : (program?.workspace_id ?? me.workspaces[0]?.id),
  );
  const isMissing = (group === 'p' && !named) || (group === 'w' && !workspace);
  useEffect(() => {
    if (named) rememberProgram(named.id);
  }, [named]);
  return (
    <ProgramContext.Provider value={view}>
      <WorkspaceContext.Provider value={workspace}>
        <Frame>
          {isMissing ? (
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
              <Route path="/p/:programId/events" component={Events} />
              <Route path="/p/:programId/setup" component={Setup} />
              <Route path="/welcome" component={Welcome} />
              <Route path="/w/:workspaceId/members" component={Members} />
              <Route path="/w/:workspaceId/keys" component={ApiKeys} />
              <Route path="/w/:workspaceId/audit" component={AuditLog} />
              <Route path="/w/:workspaceId/processor" component={Processor} />
              <Route path="/account" component={Account} />
              <Route path="/notifications" component={Notifications} />
              <Route default component={NotFound} />
            </Router>
          )}
        </Frame>
      </WorkspaceContext.Provider>
    </ProgramContext.Provider>
  );
}

/** Leads to the program that the user looked at last. Without any, it leads to the first one. */
function Home(): null {
  const { route } = useLocation();
  const view = useContext(ProgramContext);
  const target = view?.page ?? '/welcome';
  useEffect(() => route(pageUrl(target), true), [target, route]);
  return null;
}
