import { computeNewRefund } from '../domain/refund.ts';
import { isRejection } from '../rejection.ts';
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
    { refundedCents: dispute.amount_cents, isWhole: false, currency: dispute.currency },
    0,
    { amountCents: sale.amount_cents, currency: sale.currency },
  );
  if (fresh.kind === 'none') return { kind: 'skipped', reason: 'already_applied' };
  if (fresh.kind === 'incomparable') return { kind: 'skipped', reason: 'currency_differs' };
  const refund = { amountCents: fresh.amountCents, reason: dispute.reason };
  const outcome = await refundSale(tx, program, sale, refund, { refundAt: dispute.reported_at, now });
  if (isRejection(outcome))
    throw new Error(`The refund of dispute ${dispute.dispute} was rejected: ${outcome.message}`);
  if (outcome.kind === 'deducted') return outcome;
  return outcome.kind === 'skipped'
    ? { kind: 'skipped', reason: outcome.reason.replaceAll(' ', '_') }
    : { kind: 'skipped', reason: 'no_commission' };
}

export async function returnLostDispute(
  _tx: Transaction,
  _program: ProgramAccount,
  _sale: SaleRow,
  _dispute: ProcessorDispute,
  _now: number,
): Promise<void> {}
