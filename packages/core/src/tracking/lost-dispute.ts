import { computeNewRefund } from '../domain/refund.ts';
import { isRejection } from '../rejection.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { ProcessorDispute } from '../storage/stripe/processor-disputes.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';
import { refundSale } from './track-refund.ts';

type LostDispute =
  | { readonly kind: 'deducted'; readonly status: 'reversed' | 'refunded' }
  | { readonly kind: 'skipped'; readonly reason: string };

/** Deducts a lost dispute from the commission of its sale, as a refund of the disputed amount. */
export async function deductLostDispute(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  dispute: ProcessorDispute,
  now: number,
): Promise<LostDispute> {
  const fresh = computeNewRefund(
    { refundedCents: dispute.amount_cents, isWhole: coversSale(dispute, sale), currency: dispute.currency },
    0,
    { amountCents: sale.amount_cents, currency: sale.currency },
  );
  if (fresh.kind === 'none') return { kind: 'skipped', reason: 'already_applied' };
  if (fresh.kind === 'incomparable') {
    await notifySkipped(tx, program, sale, dispute, now);
    return { kind: 'skipped', reason: 'currency_differs' };
  }
  const refund = { amountCents: fresh.amountCents, reason: dispute.reason };
  const outcome = await refundSale(tx, program, sale, refund, { refundAt: dispute.reported_at, now });
  if (isRejection(outcome))
    throw new Error(`The refund of dispute ${dispute.dispute} was rejected: ${outcome.message}`);
  if (outcome.kind === 'deducted') return outcome;
  return outcome.kind === 'skipped'
    ? { kind: 'skipped', reason: outcome.reason.replaceAll(' ', '_') }
    : { kind: 'skipped', reason: 'no_commission' };
}

function coversSale(dispute: ProcessorDispute, sale: SaleRow): boolean {
  return dispute.currency === sale.currency && dispute.amount_cents >= sale.amount_cents;
}

/** Notifies the advertiser, who can book the deduction with an adjustment. */
async function notifySkipped(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleRow,
  dispute: ProcessorDispute,
  now: number,
): Promise<void> {
  await insertNotification(tx, {
    workspace_id: program.workspaceId,
    program_id: program.id,
    partner_id: null,
    kind: 'lost_dispute_skipped',
    dedupe_key: `lost_dispute_skipped:${program.workspaceId}:${dispute.dispute}`,
    payload: JSON.stringify({
      saleId: sale.id,
      transactionId: sale.processor_event_id,
      dispute: dispute.dispute,
      disputeAmountCents: dispute.amount_cents,
      disputeCurrency: dispute.currency,
    }),
    created_at: now,
  });
}

export async function returnLostDispute(
  _tx: Transaction,
  _program: ProgramAccount,
  _sale: SaleRow,
  _dispute: ProcessorDispute,
  _now: number,
): Promise<void> {}
