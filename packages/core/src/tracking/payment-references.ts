import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockParkedCharges, updateCharge } from '../storage/stripe/processor-charges.ts';
import { lockParkedDisputes, updateDispute } from '../storage/stripe/processor-disputes.ts';
import { addProcessorReferences } from '../storage/stripe/processor-refs.ts';
import type { SaleKey } from '../storage/tracking/sales.ts';
import { applyChargeRefunds } from './apply-charge-refunds.ts';
import { applyParked } from './apply-parked.ts';
import { settleDispute } from './settle-dispute.ts';

/**
 * Adds payment ids to a recorded sale. Then applies the refunds and disputes that have one of these ids and were
 * parked because their sale was unknown.
 */
export async function attachReferences(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  sale: SaleKey,
  refs: readonly string[],
): Promise<void> {
  await addProcessorReferences(tx, workspaceId, sale, refs);
  await applyParkedEvents(tx, runtime, workspaceId, sale, refs);
}

/** Applies the parked refunds and disputes that have one of the payment ids to the sale `key`. */
export async function applyParkedEvents(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  key: SaleKey,
  refs: readonly string[],
): Promise<void> {
  const assigned = { program_id: key.programId, sale_id: key.saleId, check_at: null };
  await applyParked(tx, runtime, key, await lockParkedCharges(tx, workspaceId, refs), {
    name: 'refund',
    apply: (program, sale, charge) => {
      const event = { refundId: null, reason: charge.reason, refundAt: charge.refunded_at };
      return applyChargeRefunds(tx, runtime, program, sale, charge, event);
    },
    assign: (charge) => updateCharge(tx, charge, assigned),
    setCheckAt: (charge, checkAt) => updateCharge(tx, charge, { check_at: checkAt }),
  });
  await applyParked(tx, runtime, key, await lockParkedDisputes(tx, workspaceId, refs), {
    name: 'dispute',
    apply: (program, sale, dispute) => settleDispute(tx, runtime, program, sale, dispute),
    assign: (dispute) => updateDispute(tx, dispute, assigned),
    setCheckAt: (dispute, checkAt) => updateDispute(tx, dispute, { check_at: checkAt }),
  });
}
