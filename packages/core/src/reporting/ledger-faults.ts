import { firstHead } from '../domain/ledger-chain.ts';
import type { LedgerAccount, LedgerEntryTable } from '../storage/database/schema-money.ts';
import type { AuditedCommission, AuditedPayout, Movement } from '../storage/money/ledger-audit.ts';

/** Something stored that the ledger, or another row, contradicts. */
export interface Fault {
  readonly what: string;
  readonly stored: string | number | null;
  readonly due: string | number | null;
}

const SCOPES: readonly LedgerEntryTable['scope'][] = ['partner_program', 'partner'];

/** The first thing that a commission says otherwise than its entries, refund, corrections and payout. */
export function findCommissionFault(commission: AuditedCommission): Fault | null {
  return findBookingFault(commission) ?? findStateFault(commission);
}

function findStateFault(commission: AuditedCommission): Fault | null {
  const { status, amount_cents, deducted_cents, adjusted_cents, refund_deduction_cents } = commission;
  const isRejected = commission.rejected_at !== null;
  if (isRejected !== (status === 'rejected')) {
    const due = isRejected ? 'rejected' : 'another, for it was never rejected';
    return { what: 'status', stored: status, due };
  }
  const isRefunded = status === 'reversed' || status === 'refunded';
  if (isRefunded !== (refund_deduction_cents !== null)) {
    const due = isRefunded ? 'another, for it has no refund' : 'reversed or refunded, for it has a refund';
    return { what: 'status', stored: status, due };
  }
  if (isRejected) {
    return deducted_cents === amount_cents
      ? findPayoutStateFault(commission)
      : { what: 'deducted_cents', stored: deducted_cents, due: amount_cents };
  }
  if (refund_deduction_cents !== null && refund_deduction_cents !== deducted_cents) {
    const what = `deduction_cents of its refund ${commission.refund_id}`;
    return { what, stored: refund_deduction_cents, due: deducted_cents };
  }
  if (refund_deduction_cents === null && deducted_cents !== 0) {
    return { what: 'deducted_cents', stored: deducted_cents, due: 0 };
  }
  if (adjusted_cents !== commission.corrected_cents) {
    return { what: 'the sum of its corrections', stored: commission.corrected_cents, due: adjusted_cents };
  }
  return findPayoutStateFault(commission);
}

function findPayoutStateFault({
  payout_id,
  payout_status,
  paid_at,
  status,
}: AuditedCommission): Fault | null {
  if (payout_id !== null && (payout_status === null || payout_status === 'cancelled')) {
    const due = 'none, or a payout of its partner and currency that was not cancelled';
    return { what: 'payout_id', stored: payout_id, due };
  }
  const isPaid = payout_status === 'paid';
  if (isPaid !== (paid_at !== null)) {
    const due = isPaid ? 'a time, for its payout is paid' : 'none, for it is in no paid payout';
    return { what: 'paid_at', stored: paid_at, due };
  }
  if (status === 'paid' && !isPaid) {
    return { what: 'status', stored: status, due: 'another, for it is in no paid payout' };
  }
  return isPaid && (status === 'pending' || status === 'approved')
    ? { what: 'status', stored: status, due: 'paid, or a terminal one, for its payout is paid' }
    : null;
}

function findBookingFault(commission: AuditedCommission): Fault | null {
  const { amount_cents, adjusted_cents, deducted_cents, status } = commission;
  // A rejection takes back what was left of it, corrections included.
  const taken = status === 'rejected' ? amount_cents + adjusted_cents : deducted_cents;
  for (const scope of SCOPES) {
    const sum = summer(commission.movements, scope);
    const gained = (kind: LedgerEntryTable['kind']) => sum(kind, 'advertiser_cost', 'partner_payable');
    const lost = (kind: LedgerEntryTable['kind']) => sum(kind, 'partner_payable', 'advertiser_cost');
    const booked: readonly [what: string, stored: number, due: number][] = [
      ['amount_cents', amount_cents, gained('commission') - lost('commission')],
      ['adjusted_cents', adjusted_cents, gained('adjustment') - lost('adjustment')],
      [
        status === 'rejected' ? 'what its rejection took' : 'deducted_cents',
        taken,
        lost('deduction') - gained('deduction'),
      ],
    ];
    for (const [what, stored, due] of booked) {
      if (stored !== due) return { what, stored, due: `${due} by its entries of scope ${scope}` };
    }
    const clamped = sum('clamp', 'advertiser_write_off', 'partner_payable');
    const mostClamped = lost('deduction') + lost('adjustment');
    if (clamped > mostClamped) {
      return { what: `what was given back to it (${scope})`, stored: clamped, due: `at most ${mostClamped}` };
    }
  }
  return null;
}

/** The first thing that a payout says otherwise than its entries, its commissions and the chain. */
export function findPayoutFault(programId: number, payout: AuditedPayout): Fault | null {
  const { status, amount_cents, chain_position, chain_hash } = payout;
  const clearingCents = status === 'pending' ? amount_cents : 0;
  const paidCents = status === 'paid' ? amount_cents : 0;
  for (const scope of SCOPES) {
    const held = (account: LedgerAccount) =>
      payout.movements.reduce((cents, movement) => cents + flow(movement, scope, account), 0);
    const sums = [
      ['in clearing', clearingCents, held('payout_clearing')],
      ['paid', paidCents, held('payout_paid')],
    ] as const;
    for (const [what, stored, due] of sums) {
      if (stored !== due) {
        return { what: `its amount ${what}`, stored, due: `${due} by its entries of scope ${scope}` };
      }
    }
  }
  if (status !== 'cancelled' && amount_cents > payout.most_cents) {
    return {
      what: 'amount_cents',
      stored: amount_cents,
      due: `at most ${payout.most_cents}, the sum of its commissions and of corrections`,
    };
  }
  const sealed = chain_position === 0 ? firstHead(programId).hash : payout.sealed_hash;
  if (chain_position === null || chain_hash === null) {
    const due = 'the head of the chain when it was made';
    return { what: 'the place in the chain that it holds', stored: chain_position, due };
  }
  if (chain_hash !== sealed) {
    return {
      what: `the hash of chain position ${chain_position} that it holds`,
      stored: chain_hash,
      due: sealed,
    };
  }
  return null;
}

function summer(movements: readonly Movement[], scope: LedgerEntryTable['scope']) {
  return (kind: LedgerEntryTable['kind'], from: LedgerAccount, to: LedgerAccount): number =>
    movements.find(
      (movement) =>
        movement.scope === scope &&
        movement.kind === kind &&
        movement.debit_account === from &&
        movement.credit_account === to,
    )?.cents ?? 0;
}

function flow(movement: Movement, scope: LedgerEntryTable['scope'], account: LedgerAccount): number {
  if (movement.scope !== scope) return 0;
  if (movement.credit_account === account) return movement.cents;
  return movement.debit_account === account ? -movement.cents : 0;
}
