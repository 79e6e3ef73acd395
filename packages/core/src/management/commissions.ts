import {
  type DecidableCommission,
  decideApproval,
  decideRejection,
  type StatusDecision,
} from '../domain/commission-status.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { type CommissionView, lockCommission } from '../storage/money/commission-view.ts';
import { updateCommission } from '../storage/money/commissions.ts';
import { rejectLockedCommission } from '../storage/money/reject-commission.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { publishCommission } from '../webhooks/publish-commission.ts';
import { recordChange } from './audit.ts';

export type ReviewAction = 'approve' | 'reject';

/** The rule that decides whether an action is allowed, and the change that the action makes. */
interface ReviewRule {
  readonly decide: (commission: DecidableCommission) => StatusDecision;
  readonly apply: (
    tx: Transaction,
    commission: CommissionView,
    at: number,
  ) => Promise<Partial<CommissionView>>;
}

const REVIEW_RULES: Readonly<Record<ReviewAction, ReviewRule>> = {
  approve: {
    decide: decideApproval,
    apply: async (tx, commission, at) => {
      // A refunded or reversed commission keeps its status, but the amount that is left becomes payable.
      const status = commission.status === 'pending' ? ('approved' as const) : commission.status;
      const change = { status, approved_at: at };
      await updateCommission(tx, commission, change);
      return change;
    },
  },
  reject: { decide: decideRejection, apply: rejectLockedCommission },
};

/**
 * Approves a pending commission, even before its hold ends. If a refunded or reversed commission still needs an
 * approval, approves the amount that is left. Repeating the approval changes nothing.
 */
export function approveCommission(
  runtime: Runtime,
  program: ProgramAccount,
  commissionId: number,
): Promise<CommissionView | Rejection> {
  return runtime.engine.write(program.workspaceId, (tx) =>
    reviewCommission(tx, runtime, program, commissionId, 'approve'),
  );
}

/**
 * Rejects a commission permanently. In the same transaction, the rest of the commission is debited from two
 * balances of the partner: the balance in the program, and the balance over all programs. Repeating the
 * rejection changes nothing. A rejection and a refund of the same commission run one after the other, because both
 * lock it.
 */
export function rejectCommission(
  runtime: Runtime,
  program: ProgramAccount,
  commissionId: number,
): Promise<CommissionView | Rejection> {
  return runtime.engine.write(program.workspaceId, (tx) =>
    reviewCommission(tx, runtime, program, commissionId, 'reject'),
  );
}

/**
 * Approves or rejects a commission in the transaction. If the result is a `Rejection`, nothing was written.
 */
export async function reviewCommission(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  commissionId: number,
  action: ReviewAction,
): Promise<CommissionView | Rejection> {
  if (!(await lockProgramShared(tx, program.id))) return new Rejection('program_not_found');
  const commission = await lockCommission(tx, program.id, commissionId);
  if (!commission) return new Rejection('not_found');
  const { decide, apply } = REVIEW_RULES[action];
  const decision = decide(commission);
  if (decision === 'done') return commission;
  if (decision !== 'change') return new Rejection('commission_state', decision.rejectionMessage);
  const at = runtime.now();
  const reviewed = { ...commission, ...(await apply(tx, commission, at)) };
  const type = action === 'approve' ? 'commission.approved' : 'commission.rejected';
  await publishCommission(tx, type, reviewed, at);
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: `commission.${action}`,
    subjectId: commission.id,
    before: commissionStateOf(commission),
    after: commissionStateOf(reviewed),
  });
  return reviewed;
}

function commissionStateOf(commission: CommissionView) {
  const { status, amount_cents, deducted_cents, currency, partner_id } = commission;
  return { status, amount_cents, deducted_cents, currency, partner_id };
}
