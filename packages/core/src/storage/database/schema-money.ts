import type { Generated } from 'kysely';
import type { CommissionStatus } from '../../domain/commission-status.ts';
import type { PayoutStatus } from '../../domain/payout-status.ts';

export interface CommissionTable {
  program_id: number;
  id: Generated<number>;
  sale_id: number;
  partner_id: number;
  customer_id: number;
  policy_version_id: number;
  /** The first commission of a subscription, whose policy version its renewals keep. */
  first_commission_id: number | null;
  subscription_id: string | null;
  amount_cents: number;
  deducted_cents: number;
  currency: string;
  status: CommissionStatus;
  releasable_at: number;
  approved_at: number | null;
  rejected_at: number | null;
  payout_id: number | null;
  paid_at: number | null;
  refund_reason: string | null;
  /** Sum of the corrections by hand, which leave `amount_cents` and `deducted_cents` as they are. */
  adjusted_cents: Generated<number>;
  commission_at: number;
  created_at: number;
}

export interface RefundTable {
  program_id: number;
  id: Generated<number>;
  sale_id: number;
  commission_id: number;
  /** Null for a full refund. */
  refund_amount_cents: number | null;
  deduction_cents: number;
  reason: string | null;
  refund_at: number;
  created_at: number;
}

export type LedgerAccount =
  | 'partner_payable'
  | 'payout_clearing'
  | 'payout_paid'
  | 'advertiser_cost'
  | 'advertiser_write_off';

/** One movement of a positive amount out of `debit_account` into `credit_account`. Never changed, never deleted. */
export interface LedgerEntryTable {
  program_id: number;
  id: Generated<number>;
  /** Whose balance it moves: the partner's in this program, or the partner's over all programs. */
  scope: 'partner_program' | 'partner';
  partner_id: number;
  currency: string;
  kind: 'commission' | 'deduction' | 'clamp' | 'adjustment' | 'payout';
  debit_account: LedgerAccount;
  credit_account: LedgerAccount;
  amount_cents: number;
  commission_id: number | null;
  refund_id: number | null;
  payout_id: number | null;
  adjustment_id: number | null;
  /** Its place in the program's hash chain, from 1; null until it is sealed. */
  chain_position: Generated<number | null>;
  chain_hash: Generated<string | null>;
  created_at: number;
}

/** The head of a program's hash chain. */
export interface LedgerChainTable {
  program_id: number;
  position: number;
  hash: string;
}

/** A correction of a commission by hand. */
export interface AdjustmentTable {
  program_id: number;
  id: Generated<number>;
  commission_id: number;
  /** Negative = taken from the partner. */
  amount_cents: number;
  reason: string;
  idempotency_key: string | null;
  created_at: number;
}

/** What is paid to a partner of a program at once, in one currency. */
export interface PayoutTable {
  program_id: number;
  id: Generated<number>;
  partner_id: number;
  currency: string;
  status: PayoutStatus;
  /** Its commissions less clawbacks; a refund lowers it while it is pending. */
  amount_cents: number;
  /** What the advertiser calls the payment. */
  reference: string | null;
  /** Head of the program's hash chain when it was made, itself included. */
  chain_position: number | null;
  chain_hash: string | null;
  created_at: number;
  paid_at: number | null;
  cancelled_at: number | null;
}

/** A run of the chain of test events, to count them. */
export interface ChainTestTable {
  id: Generated<number>;
  program_id: number;
  run_at: number;
}

export interface BalanceTable {
  /** The program's id, or 0 for the partner's balance over all programs. */
  program_id: number;
  partner_id: number;
  currency: string;
  balance_cents: number;
}
