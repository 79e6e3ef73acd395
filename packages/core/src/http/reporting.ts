import { eventsCsvQuery, eventsQuery, performanceQuery, traceQuery } from '@affkit/protocol';
import type { z } from 'zod';
import { isoTimeOrNull } from '../domain/calendar.ts';
import { computePeriod } from '../domain/period.ts';
import { Rejection } from '../rejection.ts';
import { readEvents } from '../reporting/events.ts';
import { readPerformance } from '../reporting/performance.ts';
import { readStatus } from '../reporting/status.ts';
import { readTrace } from '../reporting/trace/trace.ts';
import { LISTED_COLUMNS } from '../storage/database/click-columns.ts';
import type { EventFilter } from '../storage/reads/event-sources.ts';
import { replyWithCsv } from './csv-export.ts';
import { pageMeta, rowRangeOf } from './pagination.ts';
import { type Route, route } from './route.ts';
import { timeRangeOf } from './time-range.ts';

export const reportingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/tracking/status/:programId',
    access: { kind: 'dashboard', permission: 'tracking:read', nonMemberError: 'program_not_found' },
    handle: async (runtime, { caller: program }) => ({ body: { data: await readStatus(runtime, program) } }),
  }),
  route({
    method: 'GET',
    path: '/api/tracking/performance/:programId',
    readsReplica: true,
    // The API contract requires a 403 on this route and on the event list for users who are not members of
    // the workspace.
    access: { kind: 'dashboard', permission: 'performance:read', nonMemberError: 'forbidden' },
    query: performanceQuery,
    handle: async (runtime, { query, caller: program }) => ({
      body: await readPerformance(runtime, program, computePeriod(query, runtime.now())),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/tracking/events/:programId',
    readsReplica: true,
    access: { kind: 'dashboard', permission: 'tracking:list', nonMemberError: 'forbidden' },
    query: eventsQuery,
    handle: async (runtime, { query, caller: program }) => {
      const list = await readEvents(runtime, program, eventFilterOf(query), rowRangeOf(query));
      const clicksFrom = isoTimeOrNull(list.clicksCompleteFrom);
      return {
        body: {
          data: list.events,
          meta: { ...pageMeta(query, list.total), clicks_complete_from: clicksFrom },
        },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/api/advertiser/affiliate-programs/:programId/events.csv',
    readsReplica: true,
    access: { kind: 'dashboard', permission: 'tracking:list', nonMemberError: 'program_not_found' },
    query: eventsCsvQuery,
    handle: (runtime, { query, caller: program }) =>
      replyWithCsv(runtime, {
        name: `events-${program.slug}`,
        columns: EVENT_CSV_COLUMNS,
        owner: `workspace ${program.workspaceId}`,
        listCsvRows: async (snapshot, range) =>
          (await readEvents(snapshot, program, eventFilterOf(query), range)).events,
      }),
  }),
  route({
    method: 'GET',
    path: '/api/advertiser/affiliate-programs/:id/trace',
    access: { kind: 'management_or_partner', scope: 'trace:read' },
    query: traceQuery,
    handle: async (runtime, { query, caller: { program, partnerId } }) => {
      const { transaction_id: transactionId, click_id: clickId, customer_key: customerKey } = query;
      const traced = { transactionId, clickId, customerKey, commissionId: query.commission_id };
      if (partnerId !== null && customerKey !== undefined) {
        return new Rejection(
          'forbidden',
          'Partners must use transaction_id, click_id or commission_id, not customer_key',
        );
      }
      const trace = await readTrace(runtime, program, traced, partnerId);
      if (!trace) return new Rejection('not_found');
      const { offset, limit } = rowRangeOf(query);
      const data = { ...trace, steps: trace.steps.slice(offset, offset + limit) };
      return { body: { success: true, data, meta: pageMeta(query, trace.steps.length) } };
    },
  }),
];

function eventFilterOf(query: z.output<typeof eventsCsvQuery>): EventFilter {
  const { from, to } = timeRangeOf(query);
  const after = query.after === undefined ? null : query.after + 1;
  return {
    type: query.eventType ?? null,
    range: { from: after === null ? from : Math.max(after, from ?? after), to },
    subId: query.sub_id,
    partnerId: query.partner_id,
    linkId: query.link_id,
    q: query.q,
  };
}

/** Columns that do not apply to an event's type are empty. */
const EVENT_CSV_COLUMNS = [
  'id',
  'event_type',
  'timestamp',
  'click_id',
  'customer_key',
  'partner_id',
  'link_id',
  ...LISTED_COLUMNS,
  'converted',
  'amount_cents',
  'currency',
  'sale_type',
  'payment_status',
  'processor_event_id',
  'is_recurring',
  'no_commission_reason',
  'createdAt',
];
