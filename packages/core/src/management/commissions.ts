import {
  type DecidableCommission,
  decideApproval,
  decideRejection,
  type StatusDecision,
} from '../domain/commission-status.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { updateCommission } from '../storage/money/commissions.ts';
import { rejectLockedCommission } from '../storage/money/reject-commission.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { type CommissionView, lockCommission } from '../storage/reads/commission-list.ts';
import { recordChange } from './audit.ts';

/**
 * Approves a pending commission before its hold ends, or the rest of a commission in review.
 * Repeating it changes nothing.
 */
export function approveCommission(
  runtime: Runtime,
  program: ProgramAccount,
  commissionId: number,
): Promise<CommissionView | Rejection> {
  return decide(runtime, program, commissionId, decideApproval, async (tx, commission) => {
    // What is left of a refunded or reversed commission becomes payable; its status is final.
    const status = commission.status === 'pending' ? ('approved' as const) : commission.status;
    const change = { status, approved_at: runtime.now() };
    await updateCommission(tx, commission, change);
    return { ...commission, ...change };
  });
}

/**
 * Rejects a commission permanently and debits what remains of it from both of the partner's balances, in one
 * transaction. Repeating it changes nothing. If a rejection and a refund run concurrently, the one that locks
 * the commission first takes effect.
 */
export function rejectCommission(
  runtime: Runtime,
  program: ProgramAccount,
  commissionId: number,
): Promise<CommissionView | Rejection> {
  return decide(runtime, program, commissionId, decideRejection, async (tx, commission) => {
    const change = await rejectLockedCommission(tx, commission, runtime.now());
    return { ...commission, ...change };
  });
}

function decide(
  runtime: Runtime,
  program: ProgramAccount,
  commissionId: number,
  rule: (commission: DecidableCommission) => StatusDecision,
  move: (tx: Transaction, commission: CommissionView) => Promise<CommissionView>,
): Promise<CommissionView | Rejection> {
  return runtime.engine.write(program.workspaceId, async (tx) => {
    if (!(await lockProgramShared(tx, program.id))) return new Rejection('program_not_found');
    const commission = await lockCommission(tx, program.id, commissionId);
    if (!commission) return new Rejection('not_found');
    const decision = rule(commission);
    if (decision === 'done') return commission;
    if (decision !== 'change') return new Rejection('commission_state', decision.rejectionMessage);
    const moved = await move(tx, commission);
    await recordChange(tx, runtime, {
      workspaceId: program.workspaceId,
      programId: program.id,
      action: `commission.${moved.status === 'rejected' ? 'reject' : 'approve'}`,
      subjectId: commission.id,
      before: stateOf(commission),
      after: stateOf(moved),
    });
    return moved;
  });
}

function stateOf(commission: CommissionView) {
  const { status, amount_cents, deducted_cents, currency, partner_id } = commission;
  return { status, amount_cents, deducted_cents, currency, partner_id };
}
