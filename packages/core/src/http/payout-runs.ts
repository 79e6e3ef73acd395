import { confirmPayoutRunRequest, pageQuery } from '@affkit/protocol';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { confirmPayoutRun, dismissPayoutRun } from '../management/payout-runs.ts';
import { isRejection } from '../rejection.ts';
import type { PayoutTotal } from '../storage/money/payable.ts';
import { listPayoutRuns, type PayoutRunRow } from '../storage/money/payout-runs.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { toPayoutReply } from './payouts.ts';
import { type Route, replyWithItem, route } from './route.ts';

const RUNS_PATH = '/api/advertiser/affiliate-programs/:id/payout-runs';
const OWNER_ACCESS = { kind: 'program_session', permission: 'payout:confirm' } as const;

export const payoutRunRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: RUNS_PATH,
    access: { kind: 'management', scope: 'payout:list', program: true },
    query: pageQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const { runs, total } = await listPayoutRuns(runtime.engine.read, program.id, rowRangeOf(query));
      return replyWithList(runs.map(toRunReply), query, total);
    },
  }),
  route({
    method: 'POST',
    path: `${RUNS_PATH}/:runId/confirm`,
    access: OWNER_ACCESS,
    body: confirmPayoutRunRequest,
    handle: async (runtime, { caller: { program }, params, body }) => {
      const confirmed = await confirmPayoutRun(runtime, program, params.runId, body);
      if (isRejection(confirmed)) return confirmed;
      const { run, payouts } = confirmed;
      return { body: { success: true, data: toRunReply(run), payouts: payouts.map(toPayoutReply) } };
    },
  }),
  route({
    method: 'POST',
    path: `${RUNS_PATH}/:runId/dismiss`,
    access: OWNER_ACCESS,
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await dismissPayoutRun(runtime, program, params.runId), toRunReply),
  }),
];

function toRunReply(run: PayoutRunRow) {
  return {
    id: run.id,
    month: run.month,
    status: run.status,
    // The cast is safe because only `proposePayoutRun` writes this text.
    totals: JSON.parse(run.totals) as PayoutTotal[],
    created_at: isoTime(run.created_at),
    decided_at: isoTimeOrNull(run.decided_at),
  };
}
