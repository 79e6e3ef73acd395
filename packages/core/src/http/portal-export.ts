import type { PartnerCaller } from '../access/access.ts';
import { openPayee } from '../access/sealed-payout-details.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { readPayoutDetails } from '../management/payout-details.ts';
import { readPartnerEnrollments } from '../reporting/partner-portal.ts';
import type { Runtime } from '../runtime.ts';
import { listPartnerNotifications } from '../storage/accounts/notifications.ts';
import { listSessions } from '../storage/accounts/sessions.ts';
import { findApplication } from '../storage/programs/applications.ts';
import { type Link, listPartnerLinks } from '../storage/programs/links.ts';
import { type CommissionState, listPortalCommissionsAfter } from '../storage/reads/portal-commissions.ts';
import { listPortalPayoutsAfter, type PortalPayout } from '../storage/reads/portal-payouts.ts';
import { listPages, streamExport } from './export-stream.ts';
import { toEnrollmentReply } from './partner-portal.ts';
import { toApplicationReply } from './partners.ts';
import { toDetailsReply } from './payout-details.ts';
import { toPortalCommissionReply } from './portal-commissions.ts';
import { toPortalNotificationReply } from './portal-notifications.ts';
import { toPayeeReply, toPortalPayoutReply } from './portal-payouts.ts';
import { listPersonalRecords, type RecordPage } from './portal-personal-records.ts';
import { PARTNER_ROUTE_ACCESS, selectPortalRows } from './portal-selection.ts';
import { type Route, route } from './route.ts';
import { toSessionReply } from './sessions.ts';

const ALL = { status: null, payoutId: null, q: undefined, range: { from: null, to: null } } as const;

/** The route that exports everything that the service keeps about the signed-in partner. */
export const portalExportRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/partner/export',
    readsReplica: true,
    access: PARTNER_ROUTE_ACCESS,
    handle: async (runtime, { caller }) => ({
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="partner-data.ndjson"',
      },
      body: await streamExport(runtime, `user ${caller.actor.user.id}`, (snapshot) =>
        listLines(snapshot, caller),
      ),
    }),
  }),
];

/**
 * Yields one JSON object per line. The last line is the record `end`. If this line is missing, the file is
 * incomplete.
 */
async function* listLines(snapshot: Runtime, caller: PartnerCaller): AsyncGenerator<Iterable<string>> {
  let count = 0;
  for await (const { record, rows } of listRecords(snapshot, caller)) {
    count += rows.length;
    yield rows.map((data) => `${JSON.stringify({ record, data })}\n`);
  }
  yield [`${JSON.stringify({ record: 'end', data: { records: count } })}\n`];
}

async function* listRecords(
  snapshot: Runtime,
  { actor: { user, sessionId }, partners }: PartnerCaller,
): AsyncGenerator<RecordPage> {
  const { read } = snapshot.engine;
  const selection = await selectPortalRows(snapshot, partners);
  yield { record: 'user', rows: [user] };
  const owner = { userId: user.id, now: snapshot.now() };
  for await (const rows of listPages(async (range) => (await listSessions(read, owner, range)).sessions)) {
    yield { record: 'session', rows: rows.map((session) => toSessionReply(session, sessionId)) };
  }
  yield {
    record: 'partner',
    rows: partners.map(({ workspaceId, workspaceName, ...partner }) => {
      return { ...partner, workspace_id: workspaceId, workspace_name: workspaceName };
    }),
  };
  const enrollments = await readPartnerEnrollments(snapshot, selection.partnerIds, 'all');
  yield {
    record: 'enrollment',
    rows: enrollments.map((enrollment) => {
      const { partnerId, program } = enrollment;
      return { partner_id: partnerId, program_deleted: program.isDeleted, ...toEnrollmentReply(enrollment) };
    }),
  };
  for (const { program, partnerId } of enrollments) {
    const application = await findApplication(read, program.id, partnerId);
    if (!application) continue;
    const row = { program_id: program.id, partner_id: partnerId, ...toApplicationReply(application) };
    yield { record: 'application', rows: [row] };
  }
  for (const partner of partners) {
    const details = await readPayoutDetails(snapshot, partner.id);
    if (details) yield { record: 'payout_details', rows: [toDetailsReply(details)] };
  }
  for await (const rows of listPages(
    async (range) => (await listPartnerLinks(read, selection, range)).links,
  )) {
    yield { record: 'link', rows: rows.map(toLinkRecord) };
  }
  for await (const rows of listPages<CommissionState>((range, last) =>
    listPortalCommissionsAfter(snapshot.engine, selection, ALL, last?.id ?? null, range.limit),
  )) {
    yield { record: 'commission', rows: rows.map(toPortalCommissionReply) };
  }
  for await (const rows of listPages<PortalPayout>((range, last) =>
    listPortalPayoutsAfter(read, selection, null, last?.id ?? null, range.limit),
  )) {
    yield { record: 'payout', rows: rows.map(toPortalPayoutReply) };
    const payees = rows.flatMap((payout) => {
      const payee = openPayee(snapshot, payout);
      return payee ? [{ payout_id: payout.id, ...toPayeeReply(payee) }] : [];
    });
    if (payees.length > 0) yield { record: 'payee', rows: payees };
  }
  for await (const rows of listPages(
    async (range) =>
      (await listPartnerNotifications(read, partners, { ...range, onlyUnread: false })).notifications,
  )) {
    yield { record: 'notification', rows: rows.map(toPortalNotificationReply) };
  }
  yield* listPersonalRecords(snapshot, user, partners);
}

function toLinkRecord(link: Link) {
  return {
    id: link.id,
    program_id: link.programId,
    partner_id: link.partnerId,
    short_link: link.shortLink,
    landing_path: link.landingPath,
    sub_id: link.subId,
    status: link.status,
    clicks: link.clicks,
    last_clicked: isoTimeOrNull(link.lastClickedAt),
    created_at: isoTime(link.createdAt),
  };
}
