import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { type ProcessorCharge, updateCharge } from '../storage/stripe/processor-charges.ts';
import { listRefundsOfCharge } from '../storage/stripe/processor-refunds.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import { applyReportedRefunds, type ReportedRefundOutcome } from './apply-reported-refunds.ts';

/**
 * The refund that the payment processor reported. `refundId` is null if the id is not known, or if there were
 * several refunds.
 */
export interface RefundEvent {
  readonly refundId: string | null;
  readonly reason: string | null;
  readonly refundAt: number;
}

/**
 * Assigns a charge of the payment processor to its sale, and applies the charge's refunds to the commission of
 * the sale. A refund in another currency than the sale is applied only if the whole charge was refunded. Otherwise,
 * its share of the sale is unknown, and the advertiser is notified instead.
 * @param charge must be locked by the caller
 */
export async function applyChargeRefunds(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  program: ProgramAccount,
  sale: SaleRow,
  charge: ProcessorCharge,
  event: RefundEvent,
): Promise<ReportedRefundOutcome> {
  const now = runtime.now();
  await updateCharge(tx, charge, { program_id: program.id, sale_id: sale.id, check_at: null });
  const outcome = await applyReportedRefunds(tx, runtime, program, sale, event, {
    refundAt: event.refundAt,
    now,
  });
  if (outcome.reason === 'currency_differs') {
    for (const refund of await listSkippedRefunds(tx, charge, event)) {
      await notifySkipped(tx, program, sale, charge, refund, now);
    }
  }
  return outcome;
}

interface SkippedRefund {
  readonly refundId: string | null;
  readonly amountCents: number;
}

/**
 * Lists the refunds of which the advertiser must be notified. A charge with a refunded total gets one notification,
 * which contains this total. Otherwise, the refund of the event gets one. If the event has no `refundId`, each
 * refund of the charge gets one.
 */
async function listSkippedRefunds(
  tx: Transaction,
  charge: ProcessorCharge,
  { refundId }: RefundEvent,
): Promise<readonly SkippedRefund[]> {
  if (charge.refunded_cents > 0) return [{ refundId, amountCents: charge.refunded_cents }];
  const refunds = await listRefundsOfCharge(tx.db, charge);
  return refunds
    .filter(({ refund }) => refundId === null || refund === refundId)
    .map(({ refund, amount_cents }) => ({ refundId: refund, amountCents: amount_cents }));
}

async function notifySkipped(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  charge: ProcessorCharge,
  { refundId, amountCents }: SkippedRefund,
  now: number,
): Promise<void> {
  const subject = charge.refunded_cents > 0 ? charge.refunded_cents : refundId;
  await insertNotification(tx, {
    workspace_id: program.workspaceId,
    program_id: program.id,
    partner_id: null,
    kind: 'second_refund_skipped',
    dedupe_key: `second_refund_skipped:${program.workspaceId}:${charge.charge}:${subject}`,
    payload: JSON.stringify({
      saleId: sale.id,
      transactionId: sale.processor_event_id,
      charge: charge.charge,
      refundAmountCents: amountCents,
      refundCurrency: charge.currency,
      refundId,
    }),
    created_at: now,
  });
}
