import { isoTime, isoTimeOrNull } from '../../domain/calendar.ts';
import { formatMoney } from '../../domain/money.ts';
import type { EventTimeline } from '../../storage/reads/timeline.ts';
import type { MoneyTimeline } from '../../storage/reads/timeline-money.ts';
import type { TraceStep } from './trace-step.ts';

type TracedCommission = MoneyTimeline['commissions'][number];
type TracedRefund = MoneyTimeline['refunds'][number];
type TracedAdjustment = MoneyTimeline['adjustments'][number];

/**
 * Returns the steps of a commission's approval and rejection.
 *
 * @param isDuplicate whether the same payment was also recorded as another sale
 */
export function commissionStatusSteps(commission: TracedCommission, isDuplicate: boolean): TraceStep[] {
  const { id, approved_at, rejected_at, releasable_at, needs_approval } = commission;
  const detail = { commission_id: id, releasable_at: isoTime(releasable_at) };
  const steps: TraceStep[] = [];
  if (approved_at !== null) {
    const isManual = approved_at < releasable_at || needs_approval === 1;
    steps.push({
      order: approved_at,
      step: 'approval',
      reason: isManual ? 'approved_by_hand' : 'hold_passed',
      why: isManual
        ? 'The advertiser approved the commission.'
        : 'The commission became payable, because its hold period ended.',
      detail,
    });
  }
  if (rejected_at !== null) {
    steps.push({
      order: rejected_at,
      step: 'rejection',
      reason: isDuplicate ? 'rejected_as_duplicate' : 'rejected_by_hand',
      why: isDuplicate
        ? 'The same payment was recorded as two sales. The commission of the other sale counts, so the rest of this commission was deducted from the balance.'
        : 'The advertiser rejected the commission, so the rest of the commission was deducted from the balance.',
      detail,
    });
  }
  return steps;
}

/**
 * Why a commission was reduced: by a refund, by a lost dispute, or because the same payment was also recorded as
 * another sale. In all three cases, the deduction is stored as a refund.
 */
export type RefundCause = 'refund' | 'dispute' | 'duplicate';

/** Returns the step of a refund, with the amounts from which its deduction was computed. */
export function refundStep(
  refund: TracedRefund,
  { commissions, entries, refunds }: Pick<MoneyTimeline, 'commissions' | 'entries' | 'refunds'>,
  sales: EventTimeline['sales'],
  cause: RefundCause,
): TraceStep {
  const commission = commissions.find((row) => row.id === refund.commission_id);
  const sale = sales.find((row) => row.id === refund.sale_id);
  const currency = commission?.currency ?? '';
  const refundEntries = entries.filter((entry) => entry.refund_id === refund.id);
  const clampCents = sumEntries(refundEntries.filter((entry) => entry.kind === 'clamp'));
  const loweredCents = sumEntries(refundEntries.filter((entry) => entry.debit_account === 'payout_clearing'));
  const paidAt = commission?.paid_at ?? null;
  // The refund and the payment may have the same time in milliseconds. If the refund reduced the pending
  // payout, the refund came first.
  const wasPaid = paidAt !== null && paidAt <= refund.created_at && loweredCents === 0;
  const refundedCents = refunds
    .filter(({ sale_id, id }) => sale_id === refund.sale_id && id <= refund.id)
    .reduce((sum, { applied_cents }) => sum + applied_cents, 0);
  const isRefunded = sale !== undefined && refundedCents >= sale.amount_cents;
  const isFull =
    sale === undefined
      ? refund.refund_amount_cents === null
      : isRefunded && refundedCents === refund.applied_cents;
  const isReturned = refund.applied_cents < 0;
  const money = (cents: number) => formatMoney(cents, currency);
  const why = [
    isReturned
      ? `A refund failed, or the advertiser won a dispute that was lost before, so the deduction was credited back: ${money(-refund.deduction_cents)}.`
      : cause === 'duplicate'
        ? `The same payment was recorded as two sales. The commission of the other sale counts, so the rest of this commission was deducted: ${money(refund.deduction_cents)}.`
        : refund.applied_cents === 0
          ? 'The refund was reported again, so nothing was deducted.'
          : isFull
            ? `${REDUCED[cause].whole}, so the whole commission was deducted: ${money(refund.deduction_cents)}.`
            : isRefunded
              ? `${REDUCED[cause].rest}, so the rest of the commission was deducted: ${money(refund.deduction_cents)}.`
              : `${REDUCED[cause].part}, so the same share of the commission was deducted: ${money(refund.deduction_cents)}.`,
    wasPaid && !isReturned
      ? ' The commission had already been paid out, so this amount is subtracted from the next payout.'
      : '',
    loweredCents > 0 ? ` The pending payout was lowered by ${money(loweredCents)}.` : '',
    clampCents > 0 && !isReturned
      ? ` The balance was lower than this amount. A deduction from an unpaid commission does not make a balance negative, so ${money(clampCents)} was credited back.`
      : '',
  ].join('');
  return {
    order: refund.created_at,
    step: 'refund',
    reason: refundReasonOf(refund, cause),
    why,
    detail: {
      id: refund.id,
      refund_id: refund.refund_id,
      commission_id: refund.commission_id,
      sale_amount_cents: sale?.amount_cents ?? null,
      refund_amount_cents: refund.refund_amount_cents,
      refunded_cents: refund.applied_cents,
      commission_cents: commission?.amount_cents ?? null,
      deduction_cents: refund.deduction_cents,
      clamp_cents: clampCents,
      payout_lowered_cents: loweredCents,
      was_paid: wasPaid,
      currency,
      refund_reason: refund.reason,
      refund_date: isoTime(refund.refund_at),
    },
  };
}

const REDUCED = {
  refund: {
    whole: 'The whole sale was refunded',
    rest: 'The rest of the sale was refunded',
    part: 'Part of the sale was refunded',
  },
  dispute: {
    whole: 'The advertiser lost a dispute of the whole sale',
    rest: 'The advertiser lost a dispute of the rest of the sale',
    part: 'The advertiser lost a dispute of a part of the sale',
  },
};

function refundReasonOf({ applied_cents, refund_amount_cents }: TracedRefund, cause: RefundCause): string {
  if (applied_cents < 0) return 'refund_failed';
  if (cause === 'duplicate') return 'reversed_as_duplicate';
  return refund_amount_cents === null ? 'full_refund' : 'partial_refund';
}

/** Returns the steps of refunds that deducted nothing, because their sale has no active commission. */
export function refundsWithoutCommissionSteps(
  { refundsWithoutCommission }: Pick<MoneyTimeline, 'refundsWithoutCommission'>,
  sales: EventTimeline['sales'],
): TraceStep[] {
  return refundsWithoutCommission.map((refund) => ({
    order: refund.created_at,
    step: 'refund',
    reason: 'refund_without_commission',
    why: 'The sale was refunded, but has no commission that counts, so nothing was deducted. If the sale gets a commission later, the refund is deducted from it.',
    detail: {
      refund_id: refund.refund_id,
      sale_amount_cents: sales.find((row) => row.id === refund.sale_id)?.amount_cents ?? null,
      refund_amount_cents: refund.refund_amount_cents,
      refund_reason: refund.reason,
      refund_date: isoTime(refund.refund_at),
    },
  }));
}

/** @param isDuplicate whether the adjustment subtracts what corrections had added to a duplicate sale's commission */
export function adjustmentStep(
  adjustment: TracedAdjustment,
  { commissions }: Pick<MoneyTimeline, 'commissions'>,
  isDuplicate: boolean,
): TraceStep {
  const currency = commissions.find((row) => row.id === adjustment.commission_id)?.currency ?? '';
  const amount = formatMoney(Math.abs(adjustment.amount_cents), currency);
  const isIncrease = adjustment.amount_cents > 0;
  return {
    order: adjustment.created_at,
    step: 'adjustment',
    reason: isDuplicate ? 'lowered_as_duplicate' : isIncrease ? 'raised_by_hand' : 'lowered_by_hand',
    why: isDuplicate
      ? `The same payment was recorded as two sales. The commission of the other sale counts, so the amount that corrections had added to this commission was subtracted: ${amount}.`
      : `The advertiser ${isIncrease ? 'increased' : 'reduced'} the commission by ${amount}.`,
    detail: {
      id: adjustment.id,
      commission_id: adjustment.commission_id,
      amount_cents: adjustment.amount_cents,
      currency,
      adjustment_reason: adjustment.reason,
    },
  };
}

/** Returns the steps of payouts, including cancelled payouts. */
export function payoutSteps({
  payouts,
  commissions,
  cancelled,
}: Pick<MoneyTimeline, 'payouts' | 'commissions' | 'cancelled'>): TraceStep[] {
  return payouts.flatMap((payout) => {
    const current = commissions.filter((row) => row.payout_id === payout.id).map((row) => row.id);
    const former = cancelled
      .filter((row) => row.payout_id === payout.id)
      .map(({ commission_id }) => commission_id);
    const detail = {
      id: payout.id,
      commission_ids: [...current, ...former],
      amount_cents: payout.amount_cents,
      currency: payout.currency,
      status: payout.status,
      paid_at: isoTimeOrNull(payout.paid_at),
      chain_position: payout.chain_position,
      chain_hash: payout.chain_hash,
    };
    const step = (order: number | null, reason: string, why: string): TraceStep[] =>
      order === null ? [] : [{ order, step: 'payout', reason, why, detail }];
    return [
      ...step(
        payout.created_at,
        'payout_made',
        'A payout was created with all amounts that were payable at that time, including this commission.',
      ),
      ...step(payout.paid_at, 'payout_paid', 'The advertiser marked the payout as paid.'),
      ...step(
        payout.cancelled_at,
        'payout_cancelled',
        'The advertiser cancelled the payout. Another payout can include the commission.',
      ),
    ];
  });
}

const LEDGER_RULES = {
  commission: 'The commission was credited to the partner’s balance.',
  deduction: 'A deduction, for example for a refund or a rejection, was debited from the partner’s balance.',
  clamp: 'A deduction would have made the partner’s balance negative, so the excess was credited back.',
  adjustment: 'A manual adjustment changed the partner’s balance.',
  payout: 'A payout moved money between the partner’s ledger accounts.',
} as const;

export function ledgerSteps({ entries }: Pick<MoneyTimeline, 'entries'>): TraceStep[] {
  return entries.map((ledgerEntry) => ({
    order: ledgerEntry.created_at,
    step: 'ledger',
    reason: ledgerEntry.kind,
    why: LEDGER_RULES[ledgerEntry.kind],
    detail: {
      id: ledgerEntry.id,
      commission_id: ledgerEntry.commission_id,
      debit_account: ledgerEntry.debit_account,
      credit_account: ledgerEntry.credit_account,
      amount_cents: ledgerEntry.amount_cents,
      currency: ledgerEntry.currency,
      chain_position: ledgerEntry.chain_position,
      chain_hash: ledgerEntry.chain_hash,
    },
  }));
}

function sumEntries(entries: readonly { readonly amount_cents: number }[]): number {
  return entries.reduce((cents, entry) => cents + entry.amount_cents, 0);
}
