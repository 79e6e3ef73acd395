import { auditLogCsvQuery, auditLogQuery } from '@affkit/protocol';
import type { z } from 'zod';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime } from '../domain/calendar.ts';
import { isRejection } from '../rejection.ts';
import { type AuditFilter, listAuditRows } from '../storage/accounts/audit-log.ts';
import { replyWithCsv } from './csv-export.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, route } from './route.ts';
import { timeRangeOf } from './time-range.ts';

export const auditLogRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/advertiser/audit-log',
    readsReplica: true,
    access: { kind: 'session', permission: 'audit-log:read' },
    query: auditLogQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, 'audit-log:read', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const { rows, total } = await listAuditRows(
        runtime.engine.read,
        workspaceIds,
        auditFilterOf(query),
        rowRangeOf(query),
      );
      return replyWithList(rows.map(toAuditReply), query, total);
    },
  }),
  route({
    method: 'GET',
    path: '/api/advertiser/audit-log.csv',
    readsReplica: true,
    access: { kind: 'session', permission: 'audit-log:read' },
    query: auditLogCsvQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, 'audit-log:read', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      return await replyWithCsv(runtime, {
        name: 'audit-log',
        columns: AUDIT_CSV_COLUMNS,
        owner: `user ${caller.user.id}`,
        listCsvRows: async ({ engine }, range) => {
          const { rows } = await listAuditRows(engine.read, workspaceIds, auditFilterOf(query), range);
          return rows.map(toAuditReply).map(toAuditCsvRow);
        },
      });
    },
  }),
];

const AUDIT_CSV_COLUMNS = [
  'id',
  'workspace_id',
  'program_id',
  'actor_kind',
  'actor_id',
  'actor_email',
  'action',
  'subject_kind',
  'subject_id',
  'before',
  'after',
  'request_id',
  'created_at',
];

function auditFilterOf(query: z.output<typeof auditLogCsvQuery>): AuditFilter {
  const { actor, action, subject } = query;
  return { actor, action, subject, range: timeRangeOf(query) };
}

function toAuditCsvRow({ actor, subject, ...row }: ReturnType<typeof toAuditReply>) {
  return {
    ...row,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_email: actor.email,
    subject_kind: subject.kind,
    subject_id: subject.id,
  };
}

function toAuditReply(row: Awaited<ReturnType<typeof listAuditRows>>['rows'][number]) {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    program_id: row.program_id,
    actor: { kind: row.actor_kind, id: row.actor_id, email: row.actor_email },
    action: row.action,
    subject: { kind: row.subject_kind, id: row.subject_id },
    before: parseAuditState(row.state_before),
    after: parseAuditState(row.state_after),
    request_id: row.request_id,
    created_at: isoTime(row.created_at),
  };
}

function parseAuditState(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
