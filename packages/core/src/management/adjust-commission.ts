import { type adjustCommissionRequest, MAX_AMOUNT_CENTS } from '@affkit/protocol';
import type { z } from 'zod';
import { computeOpenCents } from '../domain/refund.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { type AdjustmentRow, findAdjustment } from '../storage/money/adjustments.ts';
import { bookAdjustment } from '../storage/money/book-adjustment.ts';
import { type CommissionView, lockCommission } from '../storage/money/commission-view.ts';
import { canCreditPartner } from '../storage/money/ledger.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';

export type AdjustmentInput = z.output<typeof adjustCommissionRequest>;

export interface AdjustmentResult {
  readonly commission: CommissionView;
  readonly adjustment: AdjustmentRow;
}

/**
 * Adds a positive or negative amount to a commission. The amount that remains of the commission cannot fall
 * below zero. If a pending payout contains the commission, a negative amount reduces that payout, unless the
 * payout is in an open batch. A positive amount is paid with the next payout.
 *
 * If the idempotency key was already used for the same adjustment of this commission, returns that adjustment
 * and changes nothing. This is also true for concurrent requests. A different adjustment with the same
 * key is rejected.
 */
export function adjustCommission(
  runtime: Runtime,
  program: ProgramAccount,
  commissionId: number,
  input: AdjustmentInput,
): Promise<AdjustmentResult | Rejection> {
  return runtime.engine.write(program.workspaceId, async (tx) => {
    if (!(await lockProgramShared(tx, program.id))) return new Rejection('program_not_found');
    const commission = await lockCommission(tx, program.id, commissionId);
    if (!commission) return new Rejection('not_found');
    const { idempotency_key: key } = input;
    const existing = key === undefined ? null : await findAdjustment(tx, commission, key);
    if (existing) return isSame(existing, input) ? { commission, adjustment: existing } : keyReused();
    return (
      checkAdjustment(commission, input) ??
      (await adjustCommissionIn(tx, runtime, program, commission, input))
    );
  });
}

function isSame(existing: AdjustmentRow, input: AdjustmentInput): boolean {
  return existing.amount_cents === input.amount_cents && existing.reason === input.reason;
}

function keyReused(): Rejection {
  return new Rejection(
    'conflict',
    'idempotency_key was already used for a different adjustment of this commission. Send a new key.',
  );
}

function checkAdjustment(
  commission: CommissionView,
  { amount_cents: cents }: AdjustmentInput,
): Rejection | null {
  if (commission.rejected_at !== null) {
    return new Rejection('commission_state', 'Commission cannot be adjusted. Current status: rejected');
  }
  const openCents = computeOpenCents(commission);
  if (openCents + cents < 0) {
    const message = `amount_cents can subtract at most ${openCents}, the rest of the commission`;
    return new Rejection('invalid_field', message);
  }
  if (openCents + cents > MAX_AMOUNT_CENTS) {
    const most = Math.max(0, MAX_AMOUNT_CENTS - openCents);
    return new Rejection('invalid_field', `amount_cents must be at most ${most}`);
  }
  return null;
}

async function adjustCommissionIn(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  commission: CommissionView,
  { amount_cents: cents, reason, idempotency_key }: AdjustmentInput,
): Promise<AdjustmentResult | Rejection> {
  const at = runtime.now();
  const { id, partner_id: partnerId, currency } = commission;
  if (cents > 0 && !(await canCreditPartner(tx, { programId: program.id, partnerId, currency, at }, cents))) {
    const message = `amount_cents would raise the balance above ${Number.MAX_SAFE_INTEGER}. Send a smaller amount, or pay out the balance first.`;
    return new Rejection('invalid_field', message);
  }
  const adjusted_cents = commission.adjusted_cents + cents;
  const booked = { amountCents: cents, reason, idempotencyKey: idempotency_key ?? null };
  const adjustment = await bookAdjustment(tx, commission, booked, at);
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: 'commission.adjust',
    subjectId: id,
    before: { adjusted_cents: commission.adjusted_cents, currency },
    after: { adjusted_cents, currency, reason },
  });
  return { commission: { ...commission, adjusted_cents }, adjustment };
}
