import { eventsQuery, performanceQuery, traceQuery } from '@affkit/protocol';
import { computePeriod } from '../domain/period.ts';
import { Rejection } from '../rejection.ts';
import { readEvents } from '../reporting/events.ts';
import { readPerformance } from '../reporting/performance.ts';
import { readStatus } from '../reporting/status.ts';
import { readTrace } from '../reporting/trace/trace.ts';
import { pageMeta, rowsOf } from './pagination.ts';
import { type Route, route } from './route.ts';
import { timeRangeOf } from './time-range.ts';

export const reportingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/tracking/status/:programId',
    access: { kind: 'dashboard', permission: 'tracking:read', outsiders: 'program_not_found' },
    handle: async (runtime, { caller: program }) => ({ body: { data: await readStatus(runtime, program) } }),
  }),
  route({
    method: 'GET',
    path: '/api/tracking/performance/:programId',
    // The contract of this route and of the event list fixes 403.
    access: { kind: 'dashboard', permission: 'performance:read', outsiders: 'forbidden' },
    query: performanceQuery,
    handle: async (runtime, { query, caller: program }) => ({
      body: await readPerformance(runtime, program, computePeriod(query, runtime.now())),
    }),
  }),
  route({
    method: 'GET',
    path: '/api/tracking/events/:programId',
    access: { kind: 'dashboard', permission: 'tracking:list', outsiders: 'forbidden' },
    query: eventsQuery,
    handle: async (runtime, { query, caller: program }) => {
      const { from, to } = timeRangeOf(query);
      const after = query.after === undefined ? null : query.after + 1;
      const filter = {
        type: query.eventType ?? null,
        range: { from: after === null ? from : Math.max(after, from ?? after), to },
        subId: query.sub_id,
        partnerId: query.partner_id,
        linkId: query.link_id,
        q: query.q,
      };
      const { events, total } = await readEvents(runtime, program, filter, rowsOf(query));
      return { body: { data: events, meta: pageMeta(query, total) } };
    },
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
      const { offset, limit } = rowsOf(query);
      const data = { ...trace, steps: trace.steps.slice(offset, offset + limit) };
      return { body: { success: true, data, meta: pageMeta(query, trace.steps.length) } };
    },
  }),
];
