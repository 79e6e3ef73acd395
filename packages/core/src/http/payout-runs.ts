import { pageQuery } from '@affkit/protocol';
import type { SessionActor } from '../access/actor.ts';
import { canSeeProgram, isAllowedInProgram } from '../access/permission.ts';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { confirmPayoutRun, dismissPayoutRun, type PayoutRunTotal } from '../management/payout-runs.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { listPayoutRuns, type PayoutRunRow } from '../storage/money/payout-runs.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { toPayoutReply } from './payouts.ts';
import { type Route, replyWithItem, route } from './route.ts';

const RUNS_PATH = '/api/advertiser/affiliate-programs/:id/payout-runs';
const OWNER_ACCESS = { kind: 'session', permission: 'payout:confirm' } as const;

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
    authorize: authorizeOwner,
    handle: async (runtime, { resource: program, params }) => {
      const confirmed = await confirmPayoutRun(runtime, program, params.runId);
      if (isRejection(confirmed)) return confirmed;
      const { run, payouts } = confirmed;
      return { body: { success: true, data: toRunReply(run), payouts: payouts.map(toPayoutReply) } };
    },
  }),
  route({
    method: 'POST',
    path: `${RUNS_PATH}/:runId/dismiss`,
    access: OWNER_ACCESS,
    authorize: authorizeOwner,
    handle: async (runtime, { resource: program, params }) =>
      replyWithItem(await dismissPayoutRun(runtime, program, params.runId), toRunReply),
  }),
];

/** The program of the path, if the caller owns its workspace. */
async function authorizeOwner(
  runtime: Runtime,
  { caller, params }: { readonly caller: SessionActor; readonly params: { readonly id: number } },
): Promise<ProgramAccount | Rejection> {
  const program = await runtime.findProgram(params.id);
  if (!program || !canSeeProgram(caller, program)) return new Rejection('program_not_found');
  return isAllowedInProgram(caller, program, 'payout:confirm') ? program : new Rejection('forbidden');
}

function toRunReply(run: PayoutRunRow) {
  return {
    id: run.id,
    month: run.month,
    status: run.status,
    // Only `proposePayoutRun` writes this text.
    totals: JSON.parse(run.totals) as PayoutRunTotal[],
    created_at: isoTime(run.created_at),
    decided_at: isoTimeOrNull(run.decided_at),
  };
}
