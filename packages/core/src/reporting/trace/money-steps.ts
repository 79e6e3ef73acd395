import { isoTime, isoTimeOrNull } from '../../domain/calendar.ts';
import { toMajorUnits } from '../../domain/money.ts';
import type { EventTimeline } from '../../storage/reads/timeline.ts';
import type { MoneyTimeline } from '../../storage/reads/timeline-money.ts';
import type { Step } from './trace-step.ts';

type Commission = MoneyTimeline['commissions'][number];
type Refund = MoneyTimeline['refunds'][number];

/** What became of a commission after it was made. @param isDuplicate whether its payment was recorded as another sale too */
export function commissionFateSteps(commission: Commission, isDuplicate: boolean): Step[] {
  const { id, approved_at, rejected_at, releasable_at } = commission;
  const detail = { commission_id: id, releasable_at: isoTime(releasable_at) };
  const steps: Step[] = [];
  if (approved_at !== null) {
    const isByHand = approved_at < releasable_at;
    steps.push({
      order: approved_at,
      step: 'approval',
      reason: isByHand ? 'approved_by_hand' : 'hold_passed',
      why: isByHand
        ? 'The advertiser approved the commission before its hold had passed.'
        : 'The commission’s hold had passed: it is payable.',
      detail,
    });
  }
  if (rejected_at !== null) {
    steps.push({
      order: rejected_at,
      step: 'rejection',
      reason: isDuplicate ? 'rejected_as_duplicate' : 'rejected_by_hand',
      why: isDuplicate
        ? 'The payment had been recorded as two sales: the commission of the other one stands, and what was left of this one was taken back.'
        : 'The advertiser rejected the commission: what was left of it was taken back.',
      detail,
    });
  }
  return steps;
}

/** A refund with the arithmetic of what it took. */
export function refundStep(
  refund: Refund,
  { commissions, entries }: Pick<MoneyTimeline, 'commissions' | 'entries'>,
  sales: EventTimeline['sales'],
): Step {
  const commission = commissions.find((row) => row.id === refund.commission_id);
  const sale = sales.find((row) => row.id === refund.sale_id);
  const currency = commission?.currency ?? '';
  const own = entries.filter((entry) => entry.refund_id === refund.id);
  const clampCents = sum(own.filter((entry) => entry.kind === 'clamp'));
  const loweredCents = sum(own.filter((entry) => entry.debit_account === 'payout_clearing'));
  const paidAt = commission?.paid_at ?? null;
  // Of a refund and a payment in the same millisecond, one that lowered the pending payout came first.
  const wasPaid = paidAt !== null && paidAt <= refund.created_at && loweredCents === 0;
  const isFull = refund.refund_amount_cents === null;
  const money = (cents: number) => `${toMajorUnits(cents, currency)} ${currency}`;
  const why = [
    isFull
      ? `The whole sale was refunded, so the whole commission is taken back: ${money(refund.deduction_cents)}.`
      : `A part of the sale was refunded, so the same part of the commission is taken back: ${money(refund.deduction_cents)}.`,
    wasPaid ? ' It had been paid out already: the next payout nets it off.' : '',
    loweredCents > 0 ? ` The pending payout was lowered by ${money(loweredCents)}.` : '',
    clampCents > 0
      ? ` The balance stood below that; a commission that was not paid takes it to zero at most, so ${money(clampCents)} was given back.`
      : '',
  ].join('');
  return {
    order: refund.created_at,
    step: 'refund',
    reason: isFull ? 'full_refund' : 'partial_refund',
    why,
    detail: {
      id: refund.id,
      commission_id: refund.commission_id,
      sale_amount_cents: sale?.amount_cents ?? null,
      refund_amount_cents: refund.refund_amount_cents,
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

export function adjustmentSteps({ adjustments, commissions }: MoneyTimeline): Step[] {
  return adjustments.map((adjustment) => {
    const currency = commissions.find((row) => row.id === adjustment.commission_id)?.currency ?? '';
    const amount = `${toMajorUnits(Math.abs(adjustment.amount_cents), currency)} ${currency}`;
    const isMore = adjustment.amount_cents > 0;
    return {
      order: adjustment.created_at,
      step: 'adjustment',
      reason: isMore ? 'raised_by_hand' : 'lowered_by_hand',
      why: `The advertiser corrected the commission by hand: ${amount} ${isMore ? 'more' : 'less'}.`,
      detail: {
        id: adjustment.id,
        commission_id: adjustment.commission_id,
        amount_cents: adjustment.amount_cents,
        currency,
        adjustment_reason: adjustment.reason,
      },
    };
  });
}

/** A payout that was cancelled is not told: its commissions no longer name it. */
export function payoutSteps({
  payouts,
  commissions,
}: Pick<MoneyTimeline, 'payouts' | 'commissions'>): Step[] {
  return payouts.flatMap((payout) => {
    const detail = {
      id: payout.id,
      commission_ids: commissions.filter((row) => row.payout_id === payout.id).map((row) => row.id),
      amount_cents: payout.amount_cents,
      currency: payout.currency,
      status: payout.status,
      paid_at: isoTimeOrNull(payout.paid_at),
      chain_position: payout.chain_position,
      chain_hash: payout.chain_hash,
    };
    const step = (order: number | null, reason: string, why: string): Step[] =>
      order === null ? [] : [{ order, step: 'payout', reason, why, detail }];
    return [
      ...step(
        payout.created_at,
        'payout_made',
        'A payout took what was payable then, this commission included.',
      ),
      ...step(payout.paid_at, 'payout_paid', 'The advertiser marked the payout as paid.'),
    ];
  });
}

const LEDGER_RULES = {
  commission: 'The commission was credited to the partner’s balance.',
  deduction: 'What a refund or a rejection took was debited from the partner’s balance.',
  clamp: 'What a deduction would have taken below zero was given back to the partner’s balance.',
  adjustment: 'A correction by hand moved the partner’s balance.',
  payout: 'A payout moved what the partner is owed.',
} as const;

export function ledgerSteps({ entries }: Pick<MoneyTimeline, 'entries'>): Step[] {
  return entries.map((entry) => ({
    order: entry.created_at,
    step: 'ledger',
    reason: entry.kind,
    why: LEDGER_RULES[entry.kind],
    detail: {
      id: entry.id,
      commission_id: entry.commission_id,
      debit_account: entry.debit_account,
      credit_account: entry.credit_account,
      amount_cents: entry.amount_cents,
      currency: entry.currency,
      chain_position: entry.chain_position,
      chain_hash: entry.chain_hash,
    },
  }));
}

function sum(entries: readonly { readonly amount_cents: number }[]): number {
  return entries.reduce((cents, entry) => cents + entry.amount_cents, 0);
}
