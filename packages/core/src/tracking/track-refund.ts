import type { trackRefundRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { toMajorUnits } from '../domain/money.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { computeRefundedCents } from '../domain/refund.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { type CommissionRow, lockCommissionOfSale } from '../storage/money/commissions.ts';
import type { RefundRow } from '../storage/money/refunds.ts';
import { storeRefundWithoutCommission } from '../storage/money/refunds-without-commission.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import {
  findAllPaymentIds,
  findSaleByPaymentIds,
  listReferencesOfSale,
} from '../storage/stripe/processor-refs.ts';
import { findSale, findSaleByTransaction, type SaleKey, type SaleRow } from '../storage/tracking/sales.ts';
import { changeRefundedTotal, type RefundTime } from './change-refunded-total.ts';
import { repairCommission } from './repair-commission.ts';
import { convertRefund, loadSaleRefunds, type SaleRefunds } from './sale-refunds.ts';

export type ReportedRefund = z.output<typeof trackRefundRequest>;

export type RefundOutcome =
  | {
      readonly kind: 'deducted';
      readonly status: 'reversed' | 'refunded';
      /** The deduction in major units of the commission's currency. */
      readonly deductionAmount: number;
      readonly commissionId: number;
    }
  | {
      readonly kind: 'skipped';
      readonly reason: string;
      /** Why nothing was deducted, and what the caller can do. */
      readonly message: string;
      readonly commissionId: number;
    }
  | { readonly kind: 'no_commission' };

/**
 * Reverses the commission of a refunded sale, in full or in proportion. Each `refund_id` is applied only
 * once. The refunds together must not exceed the amount of the sale. A refund without a `refund_id` is
 * applied only if nothing of the sale has been refunded yet.
 */
export async function trackRefund(
  runtime: Runtime,
  program: ProgramAccount,
  refund: ReportedRefund,
): Promise<RefundOutcome | Rejection> {
  const now = runtime.now();
  const refundAt = decideOccurredAt(refund, now);
  if (isRejection(refundAt)) return refundAt;
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    // The program may have been deleted after the token was checked.
    if (!(await lockProgramShared(tx, program.id))) return new Rejection('token_invalid');
    const found = await findRefundedSale(tx, program, refund, now);
    if (!found) return new Rejection('sale_not_found');
    const { refund_id, refund_amount_cents, refund_reason } = refund;
    const saleRefund = {
      refundId: refund_id ?? null,
      amountCents: refund_amount_cents ?? 0,
      reason: refund_reason ?? null,
    };
    const time = { refundAt, now };
    const outcome = await refundSale(tx, runtime, program, found.sale, saleRefund, time);
    if (found.keptElsewhere && !isRejection(outcome)) {
      await refundKeptSale(tx, runtime, found.sale, found.keptElsewhere, saleRefund, time);
    }
    return outcome;
  });
}

/** A refund from any source. */
export interface SaleRefund {
  /** The id by which a repeated report of the same refund is recognized. Null when the report has no id. */
  readonly refundId: string | null;
  /** The refunded amount in the sale's currency. 0 means the whole remaining amount. */
  readonly amountCents: number;
  readonly reason: string | null;
}

/** Reverses the commission of a sale in a transaction; see `trackRefund`. */
export async function refundSale(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  program: ProgramAccount,
  sale: SaleRow,
  refund: SaleRefund,
  time: RefundTime,
): Promise<RefundOutcome | Rejection> {
  const commission =
    (await lockCommissionOfSale(tx, program.id, sale.id)) ??
    (await repairCommission(tx, runtime, program, sale));
  if (!commission) {
    await storeRefundForLater(tx, sale, refund, time);
    return { kind: 'no_commission' };
  }
  const refunds = await loadSaleRefunds(tx, sale);
  const first = findFirst(refunds, refund);
  if (first) return refundOutcomeOf(first, commission);
  if (commission.rejected_at !== null) await storeRefundForLater(tx, sale, refund, time);
  return (
    findSkip(refunds, refund, sale, commission) ??
    (await applyRefund(tx, runtime, sale, commission, refunds, refund, time))
  );
}

/**
 * Stores a refund that deducts nothing now. If the sale gets a commission later, the refund will be applied
 * to it.
 */
async function storeRefundForLater(
  tx: Transaction,
  sale: SaleRow,
  refund: SaleRefund,
  time: RefundTime,
): Promise<void> {
  await storeRefundWithoutCommission(tx, {
    program_id: sale.program_id,
    sale_id: sale.id,
    refund_id: refund.refundId,
    refund_amount_cents: refund.amountCents === 0 ? null : refund.amountCents,
    reason: refund.reason,
    refund_at: time.refundAt,
    created_at: time.now,
  });
}

interface RefundedSale {
  readonly sale: SaleRow;
  /** Another program's sale of the same payment, if `sale` was merged into that sale as a duplicate. */
  readonly keptElsewhere: SaleKey | null;
}

/** Finds the sale by any id of its payment. If the id belongs to a merged duplicate, finds the remaining sale. */
async function findRefundedSale(
  tx: Transaction,
  program: ProgramAccount,
  refund: ReportedRefund,
  now: number,
): Promise<RefundedSale | null> {
  const { refs } = await findAllPaymentIds(tx, program.workspaceId, [refund.transaction_id], now);
  const key = await findSaleByPaymentIds(tx.db, program.workspaceId, refs);
  const sale =
    key?.programId === program.id
      ? await findSale(tx.db, program.id, key.saleId)
      : await findSaleByTransaction(tx.db, program.id, refund.transaction_id, 0);
  if (!sale || !key || key.programId === program.id) return sale && { sale, keptElsewhere: null };
  // A merge moves all ids of the duplicate.
  const ownRefs = await listReferencesOfSale(tx.db, { programId: program.id, saleId: sale.id });
  return { sale, keptElsewhere: ownRefs.length === 0 ? key : null };
}

/**
 * Applies the refund of a duplicate to the sale of another program that records the same payment. If the amount exceeds
 * the rest of that sale, the whole rest is refunded.
 */
async function refundKeptSale(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  duplicate: SaleRow,
  key: SaleKey,
  refund: SaleRefund,
  time: RefundTime,
): Promise<void> {
  const program = await lockProgramShared(tx, key.programId);
  const sale = program && (await findSale(tx.db, key.programId, key.saleId));
  if (!sale) return;
  const apply = (amountCents: number) =>
    refundSale(tx, runtime, program, sale, { ...refund, amountCents }, time);
  if (refund.amountCents === 0) {
    await apply(0);
    return;
  }
  const amountCents = convertRefund(refund.amountCents, duplicate, sale);
  if (amountCents > 0 && isRejection(await apply(amountCents))) await apply(0);
}

/** Finds the stored refund that has the id of the given refund. */
function findFirst({ rows }: SaleRefunds, { refundId }: SaleRefund): RefundRow | undefined {
  if (refundId === null) return undefined;
  return rows.find((row) => row.refund_id === refundId && row.applied_cents >= 0);
}

function refundOutcomeOf(
  row: Pick<RefundRow, 'applied_cents' | 'deduction_cents' | 'status'>,
  { id: commissionId, currency }: CommissionRow,
): RefundOutcome {
  if (row.applied_cents === 0) return skippedRefund(commissionId, KNOWN_BY_WEBHOOK);
  const status = row.status === 'reversed' ? 'reversed' : 'refunded';
  return {
    kind: 'deducted',
    status,
    deductionAmount: toMajorUnits(row.deduction_cents, currency),
    commissionId,
  };
}

const KNOWN_BY_WEBHOOK = 'The refund was already applied, because a webhook reported it.';

function skippedRefund(commissionId: number, message: string, reason = 'already reversed'): RefundOutcome {
  return { kind: 'skipped', reason, message, commissionId };
}

/** Decides whether the refund must be skipped. @returns null when the refund may be applied */
function findSkip(
  { reported, appliedCents }: SaleRefunds,
  { refundId }: SaleRefund,
  sale: SaleRow,
  { id, rejected_at, status }: CommissionRow,
): RefundOutcome | null {
  if (rejected_at !== null) {
    return skippedRefund(
      id,
      'The commission was rejected, so nothing is left to deduct.',
      'commission was rejected',
    );
  }
  if (refundId !== null && reported.processed.some((known) => known.refundId === refundId)) {
    return skippedRefund(id, KNOWN_BY_WEBHOOK);
  }
  if (appliedCents >= sale.amount_cents) {
    return skippedRefund(id, 'The whole sale was refunded before, so nothing is left to deduct.');
  }
  const isRefunded = status === 'reversed' || status === 'refunded';
  return refundId === null && isRefunded
    ? skippedRefund(id, 'The sale was partially refunded before. Send refund_id to apply another refund.')
    : null;
}

/** Deducts a refund from a commission. @param commission must be locked */
export async function applyRefund(
  tx: Transaction,
  runtime: Pick<Runtime, 'log'>,
  sale: SaleRow,
  commission: CommissionRow,
  { reported, appliedCents }: SaleRefunds,
  { refundId, amountCents, reason }: SaleRefund,
  time: RefundTime,
): Promise<RefundOutcome | Rejection> {
  const isRest = amountCents === 0;
  const cents = isRest ? sale.amount_cents : amountCents;
  const after = computeRefundedCents({
    ...reported,
    ...(refundId === null
      ? { unnamedCents: reported.unnamedCents + cents }
      : { named: [...reported.named, { refundId, amountCents: cents }] }),
  });
  const leftCents = sale.amount_cents - appliedCents;
  if (!isRest && after > sale.amount_cents) return exceedsSale(leftCents, sale);
  const refundedCents = isRest ? sale.amount_cents : Math.max(after, appliedCents);
  const applied_cents = refundedCents - appliedCents;
  const change = {
    source: 'api' as const,
    refund_id: refundId,
    refund_amount_cents: isRest ? null : amountCents,
    applied_cents,
    ...(isRest && { lost_cents: reported.lostCents ?? 0 }),
    reason,
    refundedCents,
    // A refund that has an amount but no id always sets the status `refunded`, even if it covers the whole
    // sale. There is one exception: if the processor has reported that this refund failed, nothing of the
    // sale is refunded. The status is then derived from the total.
    ...(refundId === null &&
      refundedCents > 0 && { status: isRest ? ('reversed' as const) : ('refunded' as const) }),
  };
  const { deductionCents, status } = await changeRefundedTotal(tx, runtime, sale, commission, change, time);
  return refundOutcomeOf({ applied_cents, deduction_cents: deductionCents, status }, commission);
}

/** Returns the rejection of a refund that exceeds the rest of its sale. */
export function exceedsSale(leftCents: number, sale: Pick<SaleRow, 'amount_cents'>): Rejection {
  return leftCents === sale.amount_cents
    ? new Rejection('refund_exceeds_sale')
    : new Rejection(
        'refund_exceeds_sale',
        `refund_amount_cents exceeds the rest of the sale: ${leftCents} of ${sale.amount_cents}`,
      );
}
