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
  /** `CommissionPart`s as JSON if several policies cover the sale; otherwise null. */
  parts: string | null;
  /** The first commission of the subscription; renewals keep its policy version. */
  first_commission_id: number | null;
  subscription_id: string | null;
  amount_cents: number;
  deducted_cents: number;
  currency: string;
  status: CommissionStatus;
  releasable_at: number;
  /**
   * Whether only an approval by hand can make the commission payable. The end of the hold then has no effect.
   */
  needs_approval: Generated<0 | 1>;
  /** Whether a dispute of the payment is open, which keeps the commission out of payouts. */
  disputed: Generated<0 | 1>;
  approved_at: number | null;
  rejected_at: number | null;
  payout_id: number | null;
  paid_at: number | null;
  refund_reason: string | null;
  /** Sum of the manual adjustments, which do not change `amount_cents` or `deducted_cents`. */
  adjusted_cents: Generated<number>;
  commission_at: number;
  created_at: number;
}

/** The commissions of a UTC day with one status and currency. Triggers on `commissions` write the rows. */
export interface CommissionTotalTable {
  program_id: number;
  /** A partner, or 0 for the whole program. */
  partner_id: number;
  /** UTC day of `commission_at`. */
  day: number;
  status: CommissionStatus;
  currency: string;
  commissions: number;
  amount_cents: number;
  deducted_cents: number;
  adjusted_cents: number;
}

/** A change of the refunded total of a sale. Rows are never changed or deleted. */
export interface RefundTable {
  program_id: number;
  id: Generated<number>;
  sale_id: number;
  commission_id: number;
  /** Who reported it: a refund request, or webhooks of the payment processor. */
  source: 'api' | 'processor';
  /** The id of the refund, applied once per sale; null when the report has no id. */
  refund_id: string | null;
  /** The reported amount; null when the rest of the sale is refunded. */
  refund_amount_cents: number | null;
  /** The change of the refunded total; negative when the processor reports that a refund failed. */
  applied_cents: number;
  /** The deduction from the commission; negative when an earlier deduction is credited back. */
  deduction_cents: number;
  /** The status of the commission after the change. */
  status: CommissionStatus;
  reason: string | null;
  refund_at: number;
  created_at: number;
}

/**
 * A refund of a sale without a commission that counts, as the API reported it. If the sale gets a commission
 * later, the refund is applied to it and the row is deleted.
 */
export interface KeptRefundTable {
  program_id: number;
  id: Generated<number>;
  sale_id: number;
  /** Kept once per sale; null when the request has no refund id. */
  refund_id: string | null;
  /** Null when the rest of the sale is refunded. */
  refund_amount_cents: number | null;
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

/** A positive amount moved from `debit_account` to `credit_account`. Rows are never changed or deleted. */
export interface LedgerEntryTable {
  program_id: number;
  id: Generated<number>;
  /** The balance that it changes: the partner's balance in this program, or over all programs. */
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
  /** Position in the program's hash chain, from 1; null until the entry is sealed. */
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

/** A manual adjustment of a commission. */
export interface AdjustmentTable {
  program_id: number;
  id: Generated<number>;
  commission_id: number;
  /** Negative when money is taken from the partner. */
  amount_cents: number;
  reason: string;
  idempotency_key: string | null;
  created_at: number;
}

/** A payment to a partner of a program in one currency. */
export interface PayoutTable {
  program_id: number;
  id: Generated<number>;
  partner_id: number;
  currency: string;
  status: PayoutStatus;
  /** The commissions minus clawbacks. A refund reduces it while the payout is pending. */
  amount_cents: number;
  /** The advertiser's reference of the payment. */
  reference: string | null;
  /** Head of the program's hash chain when the payout was created, including the payout's own entries. */
  chain_position: number | null;
  chain_hash: string | null;
  created_at: number;
  paid_at: number | null;
  cancelled_at: number | null;
}

/** A commission that was in a payout when the payout was cancelled. */
export interface CancelledPayoutCommissionTable {
  program_id: number;
  commission_id: number;
  payout_id: number;
}

/** A run of the chain test; rows are kept to limit the rate of runs. */
export interface ChainTestTable {
  id: Generated<number>;
  program_id: number;
  run_at: number;
}

export interface BalanceTable {
  /** The program, or 0 for the partner's balance over all programs. */
  program_id: number;
  partner_id: number;
  currency: string;
  balance_cents: number;
}
