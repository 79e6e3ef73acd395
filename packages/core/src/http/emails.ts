import { emailsQuery, updateEmailPreferencesRequest } from '@affkit/protocol';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { changeEmailPreferences, readEmailPreferences } from '../management/email-preferences.ts';
import { isRejection } from '../rejection.ts';
import { type EmailRow, listEmails } from '../storage/accounts/emails.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, route } from './route.ts';

const PREFERENCES_PATH = '/api/auth/email-preferences';

export const emailRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PREFERENCES_PATH,
    access: { kind: 'session', permission: null },
    handle: async (runtime, { caller: { user } }) => {
      return { body: { success: true, data: await readEmailPreferences(runtime, user.email) } };
    },
  }),
  route({
    method: 'PUT',
    path: PREFERENCES_PATH,
    access: { kind: 'session', permission: null },
    body: updateEmailPreferencesRequest,
    handle: async (runtime, { caller: { user }, body }) => {
      return { body: { success: true, data: await changeEmailPreferences(runtime, user.email, body) } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/advertiser/emails',
    access: { kind: 'session', permission: 'email:read' },
    query: emailsQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, 'email:read', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const page = { status: query.status, ...rowRangeOf(query) };
      const { rows, total } = await listEmails(runtime.engine.read, workspaceIds, page);
      return replyWithList(rows.map(toEmailReply), query, total);
    },
  }),
];

function toEmailReply(row: EmailRow) {
  const data = JSON.parse(row.data ?? '{}') as { partnerId?: number; memberId?: number };
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    program_id: row.program_id,
    kind: row.kind,
    recipient: row.recipient,
    partner_id: data.partnerId ?? null,
    member_id: data.memberId ?? null,
    status: row.status,
    attempts: row.attempts,
    error: row.last_error,
    created_at: isoTime(row.created_at),
    finished_at: isoTimeOrNull(row.finished_at),
  };
}
