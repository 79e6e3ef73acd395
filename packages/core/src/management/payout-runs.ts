import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { PayoutTotal } from '../storage/money/payable.ts';
import {
  decidePayoutRun,
  findPayoutRun,
  insertPayoutRun,
  type PayoutRunRow,
} from '../storage/money/payout-runs.ts';
import type { PayoutView } from '../storage/money/payouts.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';
import { createPayouts, type PayoutOrder } from './create-payouts.ts';
import { notifyAdvertiser } from './notify-advertiser.ts';
import { previewPayouts } from './preview-payouts.ts';

/**
 * Proposes the payouts of a month to the owners, but creates no payouts. A repeated call for the same month does
 * nothing.
 */
export async function proposePayoutRun(
  runtime: Runtime,
  program: ProgramAccount,
  month: string,
): Promise<void> {
  const preview = await previewPayouts(runtime, program, {}, 0);
  if (isRejection(preview)) throw new Error(`The payouts of program ${program.id} cannot be previewed`);
  const { totals } = preview;
  const at = runtime.now();
  await runtime.engine.write(program.workspaceId, async (tx) => {
    const run = await insertPayoutRun(tx, {
      program_id: program.id,
      month,
      status: totals.length === 0 ? 'empty' : 'proposed',
      totals: JSON.stringify(totals),
      created_at: at,
    });
    if (run?.status === 'proposed') await announcePayoutRun(tx, runtime, program, run, totals);
  });
}

/** Notifies the advertiser of proposed payouts, and emails the owners, in the transaction that stores the proposal. */
async function announcePayoutRun(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  run: PayoutRunRow,
  totals: readonly PayoutTotal[],
): Promise<void> {
  await notifyAdvertiser(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    kind: 'payouts_proposed',
    dedupeKey: `payouts_proposed:${run.id}`,
    payload: { payoutRunId: run.id, month: run.month, totals },
    email: { kind: 'payouts_proposed', data: { payoutRunId: run.id }, roles: ['owner'] },
  });
}

/**
 * Creates the payouts of a proposed run: everything that is payable now. Repeating the call creates nothing
 * more.
 *
 * The run is marked as confirmed after its payouts are created. If the process crashes in between, a repeated
 * call creates the rest. If one owner confirms the run while another dismisses it, the run is confirmed. No
 * commission is paid twice.
 */
export async function confirmPayoutRun(
  runtime: Runtime,
  program: ProgramAccount,
  runId: number,
  order: Pick<PayoutOrder, 'expected_totals'>,
): Promise<{ readonly run: PayoutRunRow; readonly payouts: readonly PayoutView[] } | Rejection> {
  const run = await findPayoutRun(runtime.engine.read, program.id, runId);
  if (!run) return new Rejection('not_found');
  if (run.status === 'confirmed') return { run, payouts: [] };
  if (run.status !== 'proposed') return decided(run);
  const payouts = await createPayouts(runtime, program, order);
  if (isRejection(payouts)) return payouts;
  const confirmed = await decide(runtime, program, run, ['proposed', 'dismissed'], 'confirmed');
  return { run: confirmed ?? run, payouts };
}

/** Dismisses a proposed run. Its amounts remain payable. */
export async function dismissPayoutRun(
  runtime: Runtime,
  program: ProgramAccount,
  runId: number,
): Promise<PayoutRunRow | Rejection> {
  const run = await findPayoutRun(runtime.engine.read, program.id, runId);
  if (!run) return new Rejection('not_found');
  if (run.status === 'dismissed') return run;
  const after = await decide(runtime, program, run, ['proposed'], 'dismissed');
  return after?.status === 'dismissed' ? after : decided(after ?? run);
}

function decide(
  runtime: Runtime,
  program: ProgramAccount,
  run: PayoutRunRow,
  from: readonly PayoutRunRow['status'][],
  status: 'confirmed' | 'dismissed',
): Promise<PayoutRunRow | null> {
  return runtime.engine.write(program.workspaceId, async (tx) => {
    const decision = { status, decided_at: runtime.now(), decided_by: runtime.author?.id ?? null };
    const changed = await decidePayoutRun(tx, run, from, decision);
    if (changed === null) return await findPayoutRun(tx.db, program.id, run.id);
    await recordChange(tx, runtime, {
      workspaceId: program.workspaceId,
      programId: program.id,
      action: status === 'confirmed' ? 'payout_run.confirm' : 'payout_run.dismiss',
      subjectId: run.id,
      before: { status: run.status, month: run.month },
      after: { status, month: run.month },
    });
    return changed;
  });
}

function decided({ month, status }: PayoutRunRow): Rejection {
  return new Rejection(
    'conflict',
    `The payouts of ${month} are no longer proposed. Current status: ${status}`,
  );
}
