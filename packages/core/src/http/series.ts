import { seriesQuery, topQuery } from '@affkit/protocol';
import { isRejection } from '../rejection.ts';
import { readSeries } from '../reporting/series.ts';
import { readTop } from '../reporting/top.ts';
import { type Route, route } from './route.ts';

const PROGRAM_PATH = '/api/advertiser/affiliate-programs/:id';
const READ_ROUTE_ACCESS = { kind: 'management', scope: 'dashboard:view', program: true } as const;

export const seriesRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${PROGRAM_PATH}/series`,
    readsReplica: true,
    access: READ_ROUTE_ACCESS,
    query: seriesQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const series = await readSeries(runtime, program, query);
      return isRejection(series) ? series : { body: { success: true, ...series } };
    },
  }),
  route({
    method: 'GET',
    path: `${PROGRAM_PATH}/top`,
    readsReplica: true,
    access: READ_ROUTE_ACCESS,
    query: topQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const top = await readTop(runtime, program, query);
      return isRejection(top) ? top : { body: { success: true, ...top } };
    },
  }),
];
