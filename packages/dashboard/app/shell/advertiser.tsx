import type { ComponentChildren, JSX } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { Route, Router, useLocation } from 'preact-iso';
import * as messages from '#messages/shell.ts';
import { get } from '../api/client.ts';
import { ME, PROGRAMS, PROGRAMS_QUERY } from '../api/session-requests.ts';
import type { ListReply, Me, Program } from '../api/types.ts';
import { type ApiQuery, apiQuery } from '../api/use-api.ts';
import { mayReadNotifications, useNotifications } from '../api/use-notifications.ts';
import { BASE_PATH, pageUrl } from '../mount.ts';
import {
  ProgramContext,
  type ProgramView,
  type Session,
  SessionContext,
  useSession,
  viewOf,
  WorkspaceContext,
  workspaceOf,
} from '../session/session.tsx';
import type { QueryState } from '../ui/use-query-state.ts';
import { BELL_REFRESH_MS, Bell } from './bell.tsx';
import { loadFirst } from './first-load.ts';
import { Frame } from './frame.tsx';
import { lastProgram, rememberProgram } from './last-program.ts';
import { lazyPage } from './lazy-page.tsx';
import { useAdvertiserSections } from './nav.ts';
import type { PageTable } from './page-table.ts';
import { ProgramSwitch } from './program-switch.tsx';
import { SessionGate, SignedInApp } from './signed-in.tsx';

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
const Webhooks = lazyPage(() => import('../pages/webhooks/webhooks.tsx').then((module) => module.Webhooks));
const WebhookDetail = lazyPage(() =>
  import('../pages/webhook/webhook.tsx').then((module) => module.WebhookDetail),
);
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
const Emails = lazyPage(() => import('../pages/emails/emails.tsx').then((module) => module.Emails));
const Processor = lazyPage(() =>
  import('../pages/processor/processor.tsx').then((module) => module.Processor),
);
const Account = lazyPage(() => import('../pages/account/account.tsx').then((module) => module.Account));
const Notifications = lazyPage(() =>
  import('../pages/notifications/notifications.tsx').then((module) => module.Notifications),
);

const NotFound = lazyPage(() => import('./not-found.tsx').then((module) => module.NotFound));

/** The query that reads all programs. The cache stores them under the key of the first page. */
const PROGRAM_LIST: ApiQuery<ListReply<Program>> = {
  ...apiQuery(PROGRAMS, PROGRAMS_QUERY),
  queryFn: async ({ signal }) => {
    const read = (page?: number) => get<ListReply<Program>>(PROGRAMS, { ...PROGRAMS_QUERY, page }, signal);
    const first = await read();
    if (first.meta.pagination.pageCount < 2) return first;
    return (await import('../api/read-further-pages.ts')).readFurtherPages(first, read);
  },
};
const loadMenu = () => import('./advertiser-menu.tsx').then((module) => module.AdvertiserMenu);

/** The start page redirects to the overview, so it loads the code of the overview. */
const PAGES: PageTable<ProgramView> = [
  ['/', Overview],
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
  ['/p/:programId/webhooks', Webhooks],
  ['/p/:programId/webhooks/:endpointId', WebhookDetail],
  ['/p/:programId/setup', Setup],
  ['/welcome', Welcome],
  ['/w/:workspaceId/members', Members],
  ['/w/:workspaceId/keys', ApiKeys],
  ['/w/:workspaceId/audit', AuditLog],
  ['/w/:workspaceId/processor', Processor],
  ['/w/:workspaceId/emails', Emails],
  ['/account', Account],
  ['/notifications', Notifications],
];

/**
 * Loads the user, the programs, and the code of the page in the URL. Then it requests the data of the page,
 * so that these requests run during the first rendering.
 */
export function loadAdvertiser(): Promise<void> {
  const path = location.pathname.slice(BASE_PATH.length);
  return loadFirst(PAGES, '', async (client) => {
    const [me, programs] = await Promise.all([
      client.fetchQuery(apiQuery<Me>(ME)),
      client.fetchQuery(PROGRAM_LIST),
    ]);
    return findProgramAndWorkspace({ me, programs: programs.data }, path).view;
  });
}

/** The pages of an advertiser. */
export function Advertiser(): JSX.Element {
  return (
    <SignedInApp>
      <SessionGate query={PROGRAM_LIST}>
        {(me, programs) => (
          <SessionContext.Provider value={{ me, programs: programs.data }}>
            <Routes />
          </SessionContext.Provider>
        )}
      </SessionGate>
    </SignedInApp>
  );
}

/**
 * Finds the program and workspace of a URL. If the URL names no program, uses the program that the user
 * visited last, or else the first one.
 */
function findProgramAndWorkspace(session: Session, path: string, { program: welcomeId }: QueryState = {}) {
  const { me, programs } = session;
  const [, group, number] = /^\/([pw])\/(\d+)(?:\/|$)/.exec(path) ?? [];
  const id = Number(number);
  const namedId = group === 'p' ? id : path === '/welcome' && Number(welcomeId);
  const named = programs.find((program) => program.id === namedId);
  const candidates = group === 'w' ? programs.filter(({ workspace_id }) => workspace_id === id) : programs;
  const program =
    named ??
    (group === 'p'
      ? undefined
      : (candidates.find((program) => program.id === lastProgram()) ?? candidates[0]));
  const view = program === undefined ? null : viewOf(me, program);
  const workspace = workspaceOf(
    session,
    group === 'w' ? id : (program?.workspace_id ?? me.workspaces[0]?.id),
  );
  return { named, view, workspace, isMissing: (group === 'p' && !named) || (group === 'w' && !workspace) };
}

function Routes(): JSX.Element {
  const session = useSession();
  const { path, query, route } = useLocation();
  const below = path.slice(BASE_PATH.length);
  const { named, view, workspace, isMissing } = findProgramAndWorkspace(session, below, query);
  useEffect(() => {
    if (named) rememberProgram(named.id);
  }, [named]);
  const { workspaces, partners } = session.me;
  // A user who is only a partner has no advertiser pages, so redirect the user to the partner portal.
  const isLeaving = workspaces.length === 0 && partners.length > 0 && below !== '/welcome';
  useEffect(() => {
    // While the code of the portal loads, this component is still shown, although the path has already
    // changed. Do not redirect again in this case.
    if (isLeaving && !below.startsWith('/partner')) route(pageUrl(`/partner${below}`), true);
  }, [isLeaving, below, route]);
  return (
    <ProgramContext.Provider value={view}>
      <WorkspaceContext.Provider value={workspace}>
        <AdvertiserFrame>
          {!isLeaving && (
            <Router>
              {isMissing
                ? []
                : PAGES.map(([pattern, page]) => (
                    // If the path changes to another program or partner, the page is mounted again: no selection,
                    // dialog, or draft remains.
                    <Route key={pattern + path} path={pattern} component={pattern === '/' ? Home : page} />
                  ))}
              <Route default component={NotFound} />
            </Router>
          )}
        </AdvertiserFrame>
      </WorkspaceContext.Provider>
    </ProgramContext.Provider>
  );
}

function AdvertiserFrame({ children }: { children: ComponentChildren }): JSX.Element {
  const { me } = useSession();
  return (
    <Frame
      home="/"
      account="/account"
      bell={<AdvertiserBell />}
      programSwitch={<ProgramSwitch />}
      sections={useAdvertiserSections()}
      otherSide={me.partners.length > 0 ? { path: '/partner', text: messages.partnerPages } : undefined}
      loadMenu={loadMenu}
    >
      {children}
    </Frame>
  );
}

/** A link to the notifications of the user's workspaces. */
function AdvertiserBell(): JSX.Element | null {
  const { me } = useSession();
  const isOffered = mayReadNotifications(me);
  const { data } = useNotifications({}, { enabled: isOffered, refreshMs: BELL_REFRESH_MS });
  return isOffered ? <Bell to="/notifications" unread={data?.meta.unread_count ?? 0} /> : null;
}

/** Redirects to the program that the user looked at last, or else to the first program. */
function Home(): null {
  const { route } = useLocation();
  const target = useContext(ProgramContext)?.page ?? '/welcome';
  useEffect(() => route(pageUrl(target), true), [target, route]);
  return null;
}
