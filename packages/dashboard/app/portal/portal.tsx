import type { ComponentChildren, JSX } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { Route, Router, useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as shell from '#messages/shell.ts';
import { get, isForbidden } from '../api/client.ts';
import { PORTAL_PARTNERS } from '../api/portal-requests.ts';
import { ME } from '../api/session-requests.ts';
import type { Me, PortalPartners } from '../api/types.ts';
import { apiQuery } from '../api/use-api.ts';
import { usePortalNotifications } from '../api/use-portal-notifications.ts';
import { isolate } from '../format/isolate.ts';
import { BASE_PATH, pageUrl } from '../mount.ts';
import { SessionContext, useSession } from '../session/session.tsx';
import { BELL_REFRESH_MS, Bell } from '../shell/bell.tsx';
import { loadFirst } from '../shell/first-load.ts';
import { Frame } from '../shell/frame.tsx';
import { rememberProgram } from '../shell/last-program.ts';
import { lazyPage } from '../shell/lazy-page.tsx';
import type { PageTable } from '../shell/page-table.ts';
import { SessionGate, SignedInApp } from '../shell/signed-in.tsx';
import { Select } from '../ui/controls.tsx';
import {
  type Enrollment,
  EnrollmentContext,
  EnrollmentsContext,
  enrollmentsOf,
  findEnrollment,
  isNotAdmitted,
  useEnrollments,
} from './enrollment.ts';
import { usePortalSections } from './nav.ts';
import { NoProgram, NotAdmitted } from './states.tsx';

const Overview = lazyPage<object, Enrollment>(() =>
  import('./overview/overview.tsx').then((module) => module.PortalOverview),
);
const Links = lazyPage<object, Enrollment>(() =>
  import('./links/links.tsx').then((module) => module.PortalLinks),
);
const LinkDetail = lazyPage<object, Enrollment>(() =>
  import('./links/link-detail.tsx').then((module) => module.PortalLinkDetail),
);
const Earnings = lazyPage<object, Enrollment>(() =>
  import('./earnings/earnings.tsx').then((module) => module.PortalEarnings),
);
const Why = lazyPage<object, Enrollment>(() =>
  import('./earnings/why.tsx').then((module) => module.PortalWhy),
);
const Payouts = lazyPage<object, Enrollment>(() =>
  import('./payouts/payouts.tsx').then((module) => module.PortalPayouts),
);
const Payout = lazyPage<object, Enrollment>(() =>
  import('./payouts/payout.tsx').then((module) => module.PortalPayout),
);
const Receipt = lazyPage<object, Enrollment>(() =>
  import('./payouts/receipt.tsx').then((module) => module.PortalReceipt),
);
const Notifications = lazyPage<object, Enrollment>(() =>
  import('./notifications/notifications.tsx').then((module) => module.PortalNotifications),
);
const Account = lazyPage<object, Enrollment>(() =>
  import('./account/account.tsx').then((module) => module.PortalAccount),
);

const PayoutDetails = lazyPage<object, Enrollment>(() =>
  import('./payout-details/payout-details.tsx').then((module) => module.PortalPayoutDetails),
);

const NotFound = lazyPage(() => import('../shell/not-found.tsx').then((module) => module.NotFound));

/**
 * The pages by their path below `/partner`. The start page redirects to the overview, so it loads the code of
 * the overview.
 */
const PAGES: PageTable<Enrollment> = [
  ['/', Overview],
  ['/notifications', Notifications],
  ['/account', Account],
  ['/payout-details', PayoutDetails],
  ['/:programId', Overview],
  ['/:programId/links', Links],
  ['/:programId/links/:linkId', LinkDetail],
  ['/:programId/earnings', Earnings],
  ['/:programId/earnings/:commissionId', Why],
  ['/:programId/payouts', Payouts],
  ['/:programId/payouts/:payoutId', Payout],
  ['/:programId/payouts/:payoutId/receipt', Receipt],
];

const HOME = '/partner';

/** Loads the partners of the user. For a user who is not a partner, it returns null instead of an error. */
const PARTNERS = {
  queryKey: apiQuery(PORTAL_PARTNERS).queryKey,
  queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<PortalPartners | null> =>
    get<PortalPartners>(PORTAL_PARTNERS, {}, signal).catch((error: unknown) => {
      if (error instanceof Error && isForbidden(error)) return null;
      throw error;
    }),
};

const loadMenu = () => import('./portal-menu.tsx').then((module) => module.PortalMenu);

/** Loads the page of the URL and the user's programs, and requests the data of the page. */
export function loadPortal(): Promise<void> {
  const path = location.pathname.slice(BASE_PATH.length);
  return loadFirst(PAGES, HOME, async (client) => {
    const [, partners] = await Promise.all([
      client.fetchQuery(apiQuery<Me>(ME)),
      client.fetchQuery(PARTNERS),
    ]);
    const enrollment = partners && findEnrollment(enrollmentsOf(partners), path).enrollment;
    return enrollment && !isNotAdmitted(enrollment) ? enrollment : null;
  });
}

/** The pages of a partner. */
export function Portal(): JSX.Element {
  return (
    <SignedInApp>
      <SessionGate query={PARTNERS}>
        {(me, partners) => (
          <SessionContext.Provider value={{ me, programs: [] }}>
            <Routes partners={partners} />
          </SessionContext.Provider>
        )}
      </SessionGate>
    </SignedInApp>
  );
}

function Routes({ partners }: { partners: PortalPartners | null }): JSX.Element {
  const { path } = useLocation();
  const enrollments = useMemo(() => (partners ? enrollmentsOf(partners) : []), [partners]);
  const { enrollment, isMissing } = findEnrollment(enrollments, path.slice(BASE_PATH.length));
  const programId = enrollment?.program.program_id;
  useEffect(() => {
    if (programId !== undefined) rememberProgram(programId, 'partner');
  }, [programId]);
  return (
    <EnrollmentsContext.Provider value={enrollments}>
      <EnrollmentContext.Provider value={enrollment}>
        <PortalFrame isPartner={partners !== null} enrollment={enrollment}>
          <Router>
            {isMissing
              ? []
              : [
                  <Route key="home" path="/" component={Home} />,
                  ...PAGES.map(([pattern, page]) => (
                    // If the path changes to another program, the page is mounted again, without its state.
                    <Route
                      key={pattern + path}
                      path={pattern}
                      component={
                        pattern.startsWith('/:') && enrollment && isNotAdmitted(enrollment)
                          ? NotAdmitted
                          : page
                      }
                    />
                  )),
                ]}
            <Route default component={NotFound} />
          </Router>
        </PortalFrame>
      </EnrollmentContext.Provider>
    </EnrollmentsContext.Provider>
  );
}

function PortalFrame({
  isPartner,
  enrollment,
  children,
}: {
  isPartner: boolean;
  enrollment: Enrollment | null;
  children: ComponentChildren;
}): JSX.Element {
  const { me } = useSession();
  return (
    <Frame
      home={HOME}
      account={`${HOME}/account`}
      bell={isPartner && <PortalBell />}
      programSwitch={enrollment && <ProgramSwitch enrollment={enrollment} />}
      sections={usePortalSections(enrollment)}
      otherSide={me.workspaces.length > 0 ? { path: '/', text: shell.advertiserPages } : undefined}
      loadMenu={loadMenu}
    >
      {children}
    </Frame>
  );
}

function PortalBell(): JSX.Element {
  const { data } = usePortalNotifications({}, { refreshMs: BELL_REFRESH_MS });
  return <Bell to={`${HOME}/notifications`} unread={data?.meta.unread_count ?? 0} />;
}

/** Switches to the same page of another program. */
function ProgramSwitch({ enrollment }: { enrollment: Enrollment }): JSX.Element {
  const enrollments = useEnrollments();
  const { path, route } = useLocation();
  const names = enrollments.map(({ program }) => program.name);
  // Programs of two workspaces can have the same name.
  const choices = enrollments.map(({ program: { program_id, name }, partner }) => ({
    value: String(program_id),
    text:
      names.filter((other) => other === name).length > 1
        ? `${isolate(name)} · ${partner.workspace_name}`
        : name,
  }));
  const change = (id: string) => {
    const [, , , section = ''] = path.slice(BASE_PATH.length).split('/');
    route(pageUrl(`${HOME}/${id}${section === '' ? '' : `/${section}`}`));
  };
  return (
    <Select
      label={common.program}
      value={String(enrollment.program.program_id)}
      choices={choices}
      onChange={change}
    />
  );
}

/** Redirects to the program that the user looked at last, or else to the first program. */
function Home(): JSX.Element | null {
  const { route } = useLocation();
  const enrollment = useContext(EnrollmentContext);
  const target = enrollment?.page;
  useEffect(() => {
    if (target !== undefined) route(pageUrl(target), true);
  }, [target, route]);
  return target === undefined ? <NoProgram /> : null;
}
