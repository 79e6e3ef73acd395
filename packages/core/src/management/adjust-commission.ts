import type { adjustCommissionRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { computeClamp, computeOpenCents } from '../domain/refund.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findAdjustment, insertAdjustment } from '../storage/adjustments.ts';
import { type CommissionView, lockCommission } from '../storage/commission-list.ts';
import { updateCommission } from '../storage/commissions.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { creditPartner, debitPartner } from '../storage/ledger.ts';
import { enqueueNotices } from '../storage/outbox.ts';
import { lowerPayout } from '../storage/payouts.ts';
import type { ProgramAccount } from '../storage/programs.ts';
import { recordChange } from './audit.ts';

export type Adjustment = z.output<typeof adjustCommissionRequest>;

/**
 * Books a correction of a commission, up or down, at most what is left of it. Under one `idempotency_key` it is booked
 * once, however often and by how many at once it is asked for.
 */
export function adjustCommission(
  runtime: Runtime,
  program: ProgramAccount,
  commissionId: number,
  input: Adjustment,
): Promise<CommissionView | Rejection> {
  return runtime.engine.write(program.workspaceId, async (tx) => {
    const commission = await lockCommission(tx, program.id, commissionId);
    if (!commission) return new Rejection('not_found');
    const key = input.idempotency_key;
    const earlier = key === undefined ? null : await findAdjustment(tx, program.id, commissionId, key);
    if (earlier) {
      const isSame = earlier.amount_cents === input.amount_cents && earlier.reason === input.reason;
      const refusal = 'idempotency_key was used for another correction of this commission';
      return isSame ? commission : new Rejection('conflict', refusal);
    }
    if (commission.rejected_at !== null) {
      const refusal = `Commission cannot be adjusted. Current status: ${commission.status}`;
      return new Rejection('commission_state', refusal);
    }
    const openCents = computeOpenCents(commission);
    if (openCents + input.amount_cents < 0) {
      const refusal = `amount_cents must take at most the ${openCents} that are left of the commission`;
      return new Rejection('invalid_field', refusal);
    }
    return await book(tx, runtime, program, commission, input);
  });
}

async function book(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  commission: CommissionView,
  { amount_cents, reason, idempotency_key }: Adjustment,
): Promise<CommissionView> {
  const at = runtime.now();
  const adjusted = { adjusted_cents: commission.adjusted_cents + amount_cents };
  await updateCommission(tx, commission, adjusted);
  const adjustmentId = await insertAdjustment(tx, {
    program_id: program.id,
    commission_id: commission.id,
    amount_cents,
    reason,
    idempotency_key: idempotency_key ?? null,
    created_at: at,
  });
  const subject = {
    programId: program.id,
    partnerId: commission.partner_id,
    currency: commission.currency,
    commissionId: commission.id,
    adjustmentId,
    at,
  };
  if (amount_cents > 0) {
    await creditPartner(tx, subject, 'adjustment', amount_cents);
  } else {
    const takenCents = -amount_cents;
    const { payout_id: payoutId } = commission;
    if (payoutId !== null) await lowerPayout(tx, { ...subject, payoutId }, takenCents);
    const wasPaid = commission.paid_at !== null;
    await debitPartner(tx, subject, 'adjustment', takenCents, (before) =>
      computeClamp(before, takenCents, wasPaid),
    );
  }
  const payload = {
    commissionId: commission.id,
    amountCents: amount_cents,
    currency: commission.currency,
    reason,
  };
  const notice = { partnerId: commission.partner_id, kind: 'commission_adjusted' as const, payload };
  await enqueueNotices(tx, program.id, 'notify_adjustment', adjustmentId, [notice], at);
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: 'commission.adjust',
    subjectId: commission.id,
    before: { adjusted_cents: commission.adjusted_cents },
    after: { ...adjusted, reason },
  });
  return { ...commission, ...adjusted };
}
