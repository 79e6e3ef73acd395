import { auditLogQuery } from '@affkit/protocol';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime } from '../domain/calendar.ts';
import { isRejection } from '../rejection.ts';
import { listAuditRows } from '../storage/accounts/audit-log.ts';
import { replyWithList, rowsOf } from './pagination.ts';
import { type Route, route } from './route.ts';
import { timeRangeOf } from './time-range.ts';

export const auditLogRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/advertiser/audit-log',
    access: { kind: 'session', permission: 'audit-log:read' },
    query: auditLogQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, 'audit-log:read', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const { rows, total } = await listAuditRows(
        runtime.engine.read,
        workspaceIds,
        { actor: query.actor, action: query.action, subject: query.subject, range: timeRangeOf(query) },
        rowsOf(query),
      );
      return replyWithList(rows.map(auditRow), query, total);
    },
  }),
];

function auditRow(row: Awaited<ReturnType<typeof listAuditRows>>['rows'][number]) {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    program_id: row.program_id,
    actor: { kind: row.actor_kind, id: row.actor_id, email: row.actor_email },
    action: row.action,
    subject: { kind: row.subject_kind, id: row.subject_id },
    before: readState(row.state_before),
    after: readState(row.state_after),
    request_id: row.request_id,
    created_at: isoTime(row.created_at),
  };
}

function readState(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
