import { Rejection } from '../rejection.ts';
import { readTrace } from '../reporting/trace.ts';
import { type Route, route } from './route.ts';

export const reportingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/advertiser/affiliate-programs/:id/trace',
    access: { kind: 'management', scope: 'trace:read', program: true },
    handle: async (runtime, { request, caller }) => {
      const query = {
        transactionId: request.query.get('transaction_id') || undefined,
        clickId: request.query.get('click_id') || undefined,
        customerKey: request.query.get('customer_key') || undefined,
      };
      if (Object.values(query).filter((value) => value !== undefined).length !== 1) {
        return new Rejection('invalid_field', 'Give one of transaction_id, click_id or customer_key');
      }
      const trace = await readTrace(runtime, caller.program, query);
      return trace
        ? { body: { success: true, data: trace } }
        : new Rejection('not_found', 'No such customer or sale');
    },
  }),
];
