import { initialChainHead } from '../domain/ledger-chain.ts';
import type { LedgerAccount, LedgerEntryTable } from '../storage/database/schema-money.ts';
import type { AuditedCommission, AuditedPayout, MovementSum } from '../storage/money/ledger-audit.ts';

/** A stored value that contradicts the ledger or another row. */
export interface LedgerFault {
  readonly what: string;
  readonly stored: string | number | null;
  readonly expected: string | number | null;
}

const AUDITED_SCOPES: readonly LedgerEntryTable['scope'][] = ['partner_program', 'partner'];

/**
 * Returns the first contradiction between a commission and its ledger entries, refund, adjustments and
 * payout.
 */
export function findCommissionFault(commission: AuditedCommission): LedgerFault | null {
  return findBookingFault(commission) ?? findStateFault(commission);
}

function findStateFault(commission: AuditedCommission): LedgerFault | null {
  const { status, amount_cents, deducted_cents, adjusted_cents, refund_deduction_cents } = commission;
  const isRejected = commission.rejected_at !== null;
  if (isRejected !== (status === 'rejected')) {
    const expected = isRejected ? 'rejected' : 'another status because it was never rejected';
    return { what: 'status', stored: status, expected };
  }
  const isRefunded = status === 'reversed' || status === 'refunded';
  if (isRefunded !== commission.refunded_cents > 0) {
    const expected = isRefunded
      ? 'another status because it has no refund'
      : 'reversed or refunded because it has a refund';
    return { what: 'status', stored: status, expected };
  }
  if (isRejected) {
    return deducted_cents === amount_cents
      ? findPayoutStateFault(commission)
      : { what: 'deducted_cents', stored: deducted_cents, expected: amount_cents };
  }
  if (refund_deduction_cents !== deducted_cents) {
    const what = 'the sum of deduction_cents of its refunds';
    return { what, stored: refund_deduction_cents, expected: deducted_cents };
  }
  if (adjusted_cents !== commission.adjustment_sum_cents) {
    return {
      what: 'the sum of its adjustments',
      stored: commission.adjustment_sum_cents,
      expected: adjusted_cents,
    };
  }
  return findPayoutStateFault(commission);
}

function findPayoutStateFault({
  payout_id,
  payout_status,
  paid_at,
  status,
}: AuditedCommission): LedgerFault | null {
  if (payout_id !== null && (payout_status === null || payout_status === 'cancelled')) {
    const expected = 'null or a payout of the same partner and currency that is not cancelled';
    return { what: 'payout_id', stored: payout_id, expected };
  }
  const isPaid = payout_status === 'paid';
  if (isPaid !== (paid_at !== null)) {
    const expected = isPaid ? 'a time because its payout is paid' : 'null because it is not in a paid payout';
    return { what: 'paid_at', stored: paid_at, expected };
  }
  if (status === 'paid' && !isPaid) {
    const expected = 'another status because it is not in a paid payout';
    return { what: 'status', stored: status, expected };
  }
  return isPaid && (status === 'pending' || status === 'approved')
    ? { what: 'status', stored: status, expected: 'paid or a terminal status because its payout is paid' }
    : null;
}

function findBookingFault(commission: AuditedCommission): LedgerFault | null {
  const { amount_cents, adjusted_cents, deducted_cents, status } = commission;
  // A rejection deducts everything that is left of the commission, including the adjustments.
  const deductedCents = status === 'rejected' ? amount_cents + adjusted_cents : deducted_cents;
  for (const scope of AUDITED_SCOPES) {
    const sum = movementSumOf(commission.movements, scope);
    const credited = (kind: LedgerEntryTable['kind']) => sum(kind, 'advertiser_cost', 'partner_payable');
    const debited = (kind: LedgerEntryTable['kind']) => sum(kind, 'partner_payable', 'advertiser_cost');
    const sums: readonly [what: string, stored: number, booked: number][] = [
      ['amount_cents', amount_cents, credited('commission') - debited('commission')],
      ['adjusted_cents', adjusted_cents, credited('adjustment') - debited('adjustment')],
      [
        status === 'rejected' ? 'the deduction of its rejection' : 'deducted_cents',
        deductedCents,
        debited('deduction') - credited('deduction'),
      ],
    ];
    for (const [what, stored, booked] of sums) {
      if (stored !== booked) return { what, stored, expected: byEntries(booked, scope) };
    }
    const clampCents = sum('clamp', 'advertiser_write_off', 'partner_payable');
    const maxClampCents = debited('deduction') + debited('adjustment');
    if (clampCents > maxClampCents) {
      return {
        what: `its clamp in scope ${scope}`,
        stored: clampCents,
        expected: `at most ${maxClampCents}`,
      };
    }
  }
  return null;
}

function byEntries(cents: number, scope: LedgerEntryTable['scope']): string {
  return `${cents} according to its ledger entries of scope ${scope}`;
}

/**
 * Returns the first contradiction between a payout and its ledger entries, its commissions and the hash
 * chain.
 */
export function findPayoutFault(programId: number, payout: AuditedPayout): LedgerFault | null {
  const { status, amount_cents, chain_position, chain_hash } = payout;
  const clearingCents = status === 'pending' ? amount_cents : 0;
  const paidCents = status === 'paid' ? amount_cents : 0;
  for (const scope of AUDITED_SCOPES) {
    const balanceOf = (account: LedgerAccount) =>
      payout.movements.reduce((cents, movement) => cents + netChange(movement, scope, account), 0);
    const sums = [
      ['in clearing', clearingCents, balanceOf('payout_clearing')],
      ['paid', paidCents, balanceOf('payout_paid')],
    ] as const;
    for (const [what, stored, booked] of sums) {
      if (stored !== booked) {
        return { what: `its amount ${what}`, stored, expected: byEntries(booked, scope) };
      }
    }
  }
  if (status !== 'cancelled' && amount_cents > payout.max_cents) {
    return {
      what: 'amount_cents',
      stored: amount_cents,
      expected: `at most ${payout.max_cents}, the sum of its commissions and their adjustments`,
    };
  }
  const sealedHash = chain_position === 0 ? initialChainHead(programId).hash : payout.sealed_hash;
  if (chain_position === null || chain_hash === null) {
    const expected = 'the head of the hash chain when the payout was created';
    return { what: 'chain_position', stored: chain_position, expected };
  }
  if (chain_hash !== sealedHash) {
    return {
      what: `chain_hash for chain position ${chain_position}`,
      stored: chain_hash,
      expected: sealedHash,
    };
  }
  return null;
}

function movementSumOf(movements: readonly MovementSum[], scope: LedgerEntryTable['scope']) {
  return (kind: LedgerEntryTable['kind'], from: LedgerAccount, to: LedgerAccount): number =>
    movements.find(
      (movement) =>
        movement.scope === scope &&
        movement.kind === kind &&
        movement.debit_account === from &&
        movement.credit_account === to,
    )?.cents ?? 0;
}

/** Returns how much a ledger entry changes the balance of an account. */
function netChange(movement: MovementSum, scope: LedgerEntryTable['scope'], account: LedgerAccount): number {
  if (movement.scope !== scope) return 0;
  if (movement.credit_account === account) return movement.cents;
  return movement.debit_account === account ? -movement.cents : 0;
}
