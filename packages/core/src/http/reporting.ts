import { traceQuery, withoutAbsent } from '@affkit/protocol';
import { readPeriod } from '../domain/period.ts';
import { readTimeRange } from '../domain/time-range.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { readEvents } from '../reporting/events.ts';
import { readPerformance } from '../reporting/performance.ts';
import { readStatus } from '../reporting/status.ts';
import { readTrace } from '../reporting/trace/trace.ts';
import type { TraceQuery } from '../storage/reads/timeline.ts';
import { readChoice } from './fields.ts';
import { pageMeta, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { type Route, route } from './route.ts';

const EVENT_TYPES = ['click', 'lead', 'conversion'] as const;

export const reportingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/tracking/status/:programId',
    access: { kind: 'dashboard', permission: 'tracking:read' },
    handle: async (runtime, { caller: program }) => ({ body: { data: await readStatus(runtime, program) } }),
  }),
  route({
    method: 'GET',
    path: '/api/tracking/performance/:programId',
    access: { kind: 'dashboard', permission: 'performance:read' },
    handle: async (runtime, { request, caller: program }) => {
      const period = readPeriod(request.query, runtime.now());
      if (isRejection(period)) return period;
      return { body: await readPerformance(runtime, program, period) };
    },
  }),
  route({
    method: 'GET',
    path: '/api/tracking/events/:programId',
    access: { kind: 'dashboard', permission: 'tracking:list' },
    handle: async (runtime, { request: { query }, caller: program }) => {
      const page = readPage(query);
      if (isRejection(page)) return page;
      const range = readTimeRange(query.get('dateFrom'), query.get('dateTo'));
      if (isRejection(range)) return range;
      const type = readChoice(query, 'eventType', EVENT_TYPES);
      if (isRejection(type)) return type;
      const { events, total } = await readEvents(runtime, program, { type, range }, page);
      return { body: { data: events, meta: pageMeta(page, total) } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/advertiser/affiliate-programs/:id/trace',
    access: { kind: 'management_or_partner', scope: 'trace:read' },
    handle: async (runtime, { request, caller: { program, partnerId } }) => {
      const query = readTraceQuery(request.query);
      if (isRejection(query)) return query;
      if (partnerId !== null && query.customerKey !== undefined) {
        return new Rejection(
          'forbidden',
          'A partner asks by transaction_id or click_id, not by customer_key',
        );
      }
      const trace = await readTrace(runtime, program, query, partnerId);
      return trace ? { body: { success: true, data: trace } } : new Rejection('not_found');
    },
  }),
];

const TRACED_BY = ['transaction_id', 'click_id', 'customer_key'] as const;

function readTraceQuery(query: URLSearchParams): TraceQuery | Rejection {
  const given = TRACED_BY.flatMap((name) => query.getAll(name)).filter((value) => value !== '');
  if (given.length !== 1) {
    return new Rejection('invalid_field', `Give one of ${TRACED_BY.join(', ')}`);
  }
  const named = parseBody(traceQuery, withoutAbsent(Object.fromEntries(query)));
  if (isRejection(named)) return named;
  return { transactionId: named.transaction_id, clickId: named.click_id, customerKey: named.customer_key };
}
