import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import {
  listChangesOf,
  listEmailsTo,
  listIdentities,
  listMemberships,
  listOptOutsOf,
} from '../storage/reads/personal-records.ts';
import { listPages } from './export-stream.ts';

/** Records of one kind, in the export of a person's data. */
export interface RecordPage {
  readonly record: string;
  readonly rows: readonly object[];
}

interface Person {
  readonly id: number;
  readonly email: string;
}

/**
 * Lists the data that the service keeps about a person, except for the rows of the partner portal, which
 * `portalExportRoutes` exports itself. Texts and actions of other people in the same workspaces are left out.
 */
export async function* listPersonalRecords(
  { engine: { read } }: Runtime,
  user: Person,
  partners: readonly UserPartner[],
): AsyncGenerator<RecordPage> {
  const memberships = await listMemberships(read, user.id);
  yield {
    record: 'membership',
    rows: memberships.map(({ name, created_at, ...membership }) => ({
      ...membership,
      workspace_name: name,
      created_at: isoTime(created_at),
    })),
  };
  yield {
    record: 'identity',
    rows: (await listIdentities(read, user.id)).map((row) => ({
      ...row,
      created_at: isoTime(row.created_at),
    })),
  };
  const partnerIds = partners.map(({ id }) => id);
  const addresses = [...new Set([user.email, ...partners.map(({ email }) => email)])];
  for await (const rows of listPages<EmailTo>((range, last) =>
    listEmailsTo(read, addresses, last?.id ?? 0, range.limit),
  )) {
    yield {
      record: 'email',
      rows: rows
        .filter((row) => row.recipient === user.email || isAboutPartner(row, partnerIds))
        .map(({ data: _data, created_at, finished_at, ...row }) => ({
          ...row,
          created_at: isoTime(created_at),
          finished_at: isoTimeOrNull(finished_at),
        })),
    };
  }
  yield {
    record: 'email_opt_out',
    rows: (await listOptOutsOf(read, user.email)).map((row) => ({
      ...row,
      created_at: isoTime(row.created_at),
    })),
  };
  const workspaceIds = [
    ...new Set([
      ...partners.map(({ workspaceId }) => workspaceId),
      ...memberships.map(({ workspace_id }) => workspace_id),
    ]),
  ];
  for await (const rows of listPages<ChangeRow>((range, last) =>
    listChangesOf(read, { userId: user.id, partnerIds, workspaceIds }, last?.id ?? 0, range.limit),
  )) {
    yield { record: 'change', rows: rows.map((row) => toPersonalChange(row, user, partnerIds)) };
  }
}

type EmailTo = Awaited<ReturnType<typeof listEmailsTo>>[number];

/**
 * Whether an email is about one of the partners. The advertiser can enter any address for a partner, so other
 * emails to this address may be for somebody else.
 */
function isAboutPartner({ data }: EmailTo, partnerIds: readonly number[]): boolean {
  const { partnerId } = JSON.parse(data ?? '{}') as { partnerId?: number };
  return partnerId !== undefined && partnerIds.includes(partnerId);
}

type ChangeRow = Awaited<ReturnType<typeof listChangesOf>>[number];

/**
 * Leaves out the names of other people. The states before and after a change are included only if the changed row is
 * the user's own partner. Other rows may contain data of other people.
 */
function toPersonalChange(row: ChangeRow, user: Person, partnerIds: readonly number[]) {
  const isOwn =
    row.subject_kind === 'partner' && row.subject_id !== null && partnerIds.includes(row.subject_id);
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    program_id: row.program_id,
    action: row.action,
    subject: { kind: row.subject_kind, id: row.subject_id },
    made_by: row.actor_kind === 'user' && row.actor_id === user.id ? 'you' : 'others',
    before: isOwn ? parseState(row.state_before) : null,
    after: isOwn ? parseState(row.state_after) : null,
    created_at: isoTime(row.created_at),
  };
}

function parseState(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
