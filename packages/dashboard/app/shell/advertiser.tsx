import { type QueryClient, QueryClientProvider, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { Route, Router, useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import { ApiError, onSignedOut } from '../api/client.ts';
import { ME, PROGRAMS, PROGRAMS_QUERY } from '../api/session-requests.ts';
import type { ListReply, Me, Program } from '../api/types.ts';
import { apiQuery, createQueryClient } from '../api/use-api.ts';
import { formatDates } from '../format/time.ts';
import { BASE_PATH, pageUrl } from '../mount.ts';
import {
  ProgramContext,
  type Session,
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
import { type LazyPage, lazyPage } from './lazy-page.tsx';
import { NotFound } from './not-found.tsx';

const Overview = lazyPage(() => import('../pages/overview/overview.tsx').then((module) => module.Overview));
const Why = lazyPage(() => import('../pages/why/why.tsx').then((module) => module.Why));
const Commissions = lazyPage(() =>
  import('../pages/commissions/commissions.tsx').then((module) => module.Commissions),
);
const Payouts = lazyPage(() => import('../pages/payouts/payouts.tsx').then((module) => module.Payouts));
const PayoutBatches = lazyPage(() =>
  import('../pages/payout-batches/payout-batches.tsx').then((module) => module.PayoutBatches),
);
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
const ProgramPageSettings = lazyPage(() =>
  import('../pages/program-page/program-page.tsx').then((module) => module.ProgramPageSettings),
);
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

/** The pages by path. The first matching path is used. */
const PAGES: readonly (readonly [path: string, page: LazyPage])[] = [
  ['/p/:programId', Overview],
  ['/p/:programId/why', Why],
  ['/p/:programId/commissions', Commissions],
  ['/p/:programId/payouts', Payouts],
  ['/p/:programId/payouts/files', PayoutBatches],
  ['/p/:programId/policies', Policies],
  ['/p/:programId/partners', Partners],
  ['/p/:programId/partners/import', ImportPartners],
  ['/p/:programId/partners/:partnerId', PartnerDetail],
  ['/p/:programId/links', Links],
  ['/p/:programId/settings', Settings],
  ['/p/:programId/page', ProgramPageSettings],
  ['/p/:programId/events', Events],
  ['/p/:programId/setup', Setup],
  ['/welcome', Welcome],
  ['/w/:workspaceId/members', Members],
  ['/w/:workspaceId/keys', ApiKeys],
  ['/w/:workspaceId/audit', AuditLog],
  ['/w/:workspaceId/processor', Processor],
  ['/account', Account],
  ['/notifications', Notifications],
];

/**
 * Finds the page for a path relative to the mount point. For the root, it returns the overview, to which
 * `Home` redirects.
 */
function pageAt(path: string): LazyPage | undefined {
  const segments = path.split('/').filter(Boolean);
  if (segments.length === 0) return Overview;
  const isMatch = (pattern: string) => {
    const expected = pattern.split('/').slice(1);
    return (
      expected.length === segments.length &&
      expected.every((name, index) => name.startsWith(':') || name === segments[index])
    );
  };
  return PAGES.find(([pattern]) => isMatch(pattern))?.[1];
}

/** The cache that `loadFirst` has filled. It is undefined once the pages use it. */
let firstClient: QueryClient | undefined;

/**
 * Loads the user, the programs, and the code of the page in the URL. Then it requests the data of the page,
 * so that these requests run during the first rendering.
 */
export async function loadFirst(): Promise<void> {
  const client = createQueryClient();
  const path = location.pathname.slice(BASE_PATH.length);
  const loading = Promise.all([
    client.fetchQuery(apiQuery<Me>(ME)).catch(() => null),
    client.fetchQuery(apiQuery<ListReply<Program>>(PROGRAMS, PROGRAMS_QUERY)).catch(() => null),
    pageAt(path)?.preload(),
  ]);
  await nextTask();
  // The first use of a date format takes 20 ms. Do it while the replies are on their way.
  formatDates(Date.now(), Date.now());
  const [me, programs, page] = await loading;
  firstClient = client;
  if (me && programs) {
    const { view } = findPlace({ me, programs: programs.data }, path);
    if (view) page?.prefetch?.(client, view, Object.fromEntries(new URLSearchParams(location.search)));
  }
  await nextTask();
}

/** Ends the current task, so that the browser is not blocked by one long task. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function takeFirstClient(): QueryClient {
  const client = firstClient ?? createQueryClient();
  firstClient = undefined;
  return client;
}

/**
 * The pages of an advertiser. The cache is dropped at sign-out, because the sign-in page unmounts this
 * component.
 */
export function Advertiser(): JSX.Element {
  const [client] = useState(takeFirstClient);
  return (
    <QueryClientProvider client={client}>
      <ToastProvider>
        <SignedOutRedirect />
        <SignedIn />
      </ToastProvider>
    </QueryClientProvider>
  );
}

/**
 * Redirects to the sign-in page when the session ends. After the next sign-in, the user returns to the same
 * page.
 */
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
  const me = useQuery({ ...apiQuery<Me>(ME), retryOnMount: false });
  const programs = useQuery({
    ...apiQuery<ListReply<Program>>(PROGRAMS, PROGRAMS_QUERY),
    retryOnMount: false,
  });
  // If both requests fail, show the error of the first. If the password must be replaced, only the second
  // request fails.
  const error = me.error ?? (me.data && programs.error);
  if (me.data && error instanceof ApiError && error.code === 'password_change_required') {
    return <ReplacePassword email={me.data.user.email} />;
  }
  // `SignedOutRedirect` handles this error.
  const isSignedOut = error instanceof ApiError && error.code === 'unauthenticated';
  if (error && !isSignedOut) {
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

/**
 * Finds the program and workspace in a path. If the path contains none, the program that the user visited
 * last is used.
 */
function findPlace(session: Session, path: string) {
  const { me, programs } = session;
  const [, group, number] = /^\/([pw])\/(\d+)(?:\/|$)/.exec(path) ?? [];
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
  return { named, view, workspace, isMissing: (group === 'p' && !named) || (group === 'w' && !workspace) };
}

function Routes(): JSX.Element {
  const session = useSession();
  const { path } = useLocation();
  const { named, view, workspace, isMissing } = findPlace(session, path.slice(BASE_PATH.length));
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
              {PAGES.map(([path, page]) => (
                <Route key={path} path={path} component={page} />
              ))}
              <Route default component={NotFound} />
            </Router>
          )}
        </Frame>
      </WorkspaceContext.Provider>
    </ProgramContext.Provider>
  );
}

/** Redirects to the program that the user visited last, or else to the first program. */
function Home(): null {
  const { route } = useLocation();
  const view = useContext(ProgramContext);
  const target = view?.page ?? '/welcome';
  useEffect(() => route(pageUrl(target), true), [target, route]);
  return null;
}
