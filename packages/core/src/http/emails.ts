import { emailsQuery } from '@affkit/protocol';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { isRejection } from '../rejection.ts';
import { type EmailRow, listEmails } from '../storage/accounts/emails.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, route } from './route.ts';

export const emailRoutes: readonly Route[] = [
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
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    program_id: row.program_id,
    kind: row.kind,
    recipient: row.recipient,
    status: row.status,
    attempts: row.attempts,
    error: row.last_error,
    created_at: isoTime(row.created_at),
    finished_at: isoTimeOrNull(row.finished_at),
  };
}
