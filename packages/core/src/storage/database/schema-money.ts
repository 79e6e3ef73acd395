import type { PayoutProviderName } from '@affkit/protocol';
import type { Generated } from 'kysely';
import type { CommissionStatus } from '../../domain/commission-status.ts';
import type { PayoutChannel } from '../../domain/payout-channel.ts';
import type { PayoutStatus } from '../../domain/payout-status.ts';

export interface CommissionTable {
  program_id: number;
  id: Generated<number>;
  sale_id: number;
  partner_id: number;
  customer_id: number;
  policy_version_id: number;
  /** A list of `CommissionPart` as JSON if several policies cover the sale; otherwise null. */
  parts: string | null;
  /** The first commission of the subscription. Renewals use the same policy version. */
  first_commission_id: number | null;
  subscription_id: string | null;
  amount_cents: number;
  deducted_cents: number;
  currency: string;
  status: CommissionStatus;
  releasable_at: number;
  /**
   * Whether the commission becomes payable only when a user approves it. The end of the hold then has no
   * effect.
   */
  needs_approval: Generated<0 | 1>;
  /** Whether the payment is disputed. A payout must not include a disputed commission. */
  disputed: Generated<0 | 1>;
  approved_at: number | null;
  rejected_at: number | null;
  payout_id: number | null;
  paid_at: number | null;
  refund_reason: string | null;
  /** The sum of the manual adjustments. They do not change `amount_cents` or `deducted_cents`. */
  adjusted_cents: Generated<number>;
  commission_at: number;
  created_at: number;
}

/**
 * Sums over the commissions with the same partner, UTC day, status, and currency. Triggers on `commissions`
 * maintain the rows.
 */
export interface CommissionTotalTable {
  program_id: number;
  /** The id of a partner, or 0 for the whole program. */
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

/** The sum of a partner's commissions on hold, for each day on which a hold ends. */
export interface HeldTotalTable {
  program_id: number;
  partner_id: number;
  /** UTC day of `releasable_at`; 2147483647 for commissions that wait for an approval. */
  release_day: number;
  currency: string;
  cents: number;
}

/** A change to the refunded total of a sale. Rows are never changed or deleted. */
export interface RefundTable {
  program_id: number;
  id: Generated<number>;
  sale_id: number;
  commission_id: number;
  /** The source of the report: a refund request, or webhooks of the payment processor. */
  source: 'api' | 'processor';
  /** The id of the refund. Each id is applied only once per sale. Null when the report has no id. */
  refund_id: string | null;
  /** The reported amount. Null when the whole remaining amount of the sale is refunded. */
  refund_amount_cents: number | null;
  /** The change to the refunded total. Negative when the processor reports that a refund failed. */
  applied_cents: number;
  /**
   * The total amount of the payment's disputes that were lost before this refund. Set only if the whole remaining
   * amount was refunded.
   */
  lost_cents: number | null;
  /** The deduction from the commission. Negative when an earlier deduction is credited back. */
  deduction_cents: number;
  /** The status of the commission after the change. */
  status: CommissionStatus;
  reason: string | null;
  refund_at: number;
  created_at: number;
}

/**
 * A refund that the API reported for a sale without an active commission. If the sale gets a commission
 * later, the refund is applied to it and the row is deleted.
 */
export interface KeptRefundTable {
  program_id: number;
  id: Generated<number>;
  sale_id: number;
  /** Unique per sale. Null when the request has no refund id. */
  refund_id: string | null;
  /** Null when the whole remaining amount of the sale is refunded. */
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

/**
 * A movement of a positive amount from `debit_account` to `credit_account`. Rows are never changed or
 * deleted.
 */
export interface LedgerEntryTable {
  program_id: number;
  id: Generated<number>;
  /** Whether the entry changes the partner's balance in this program or the balance over all programs. */
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
  /** The position in the program's hash chain, starting at 1. Null until the entry is sealed. */
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
  /** Negative when the partner gets less. */
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
  /** The sum of the commissions minus clawbacks. Refunds reduce it while the payout is pending and not in a batch. */
  amount_cents: number;
  /** The advertiser's own reference for the payment. */
  reference: string | null;
  /** The head of the program's hash chain right after the payout was created. */
  chain_position: number | null;
  chain_hash: string | null;
  /**
   * The open batch that contains the payout. Until the payout's item in this batch is closed, only this batch may
   * change the payout.
   */
  batch_id: Generated<number | null>;
  /**
   * The part of the partner's payout details that the receipt shows, as it was when the payout was paid. Encrypted.
   * Null if the payout is not paid, or if the partner had no payout details.
   */
  sealed_payee: Generated<string | null>;
  created_at: number;
  paid_at: number | null;
  cancelled_at: number | null;
}

/**
 * Payouts that are sent together. The channel is `file:<format>` or `provider:<name>`.
 */
export interface PayoutBatchTable {
  program_id: number;
  id: Generated<number>;
  channel: PayoutChannel;
  currency: string;
  /** Copied when the batch was created, so that the batch's file never changes. */
  program_name: string;
  /**
   * The account that pays the payouts of the batch, as it was when the batch was created. Encrypted. Null if
   * the channel does not need it.
   */
  sealed_debtor: string | null;
  creator_kind: 'user' | 'key' | 'system';
  creator_id: number | null;
  created_at: number;
  /** When the last item was closed. */
  closed_at: number | null;
  /** When the file was first downloaded. From then on, its payouts may have been paid. */
  downloaded_at: number | null;
  /** When the batch was cancelled. Later transactions release its unsent payouts. */
  cancelled_at: number | null;
}

export interface PayoutBatchItemTable {
  program_id: number;
  batch_id: number;
  payout_id: number;
  partner_id: number;
  /** Copied when the batch was created, so that the batch's file never changes. */
  partner_name: string;
  /** `cancelled`: released before it was sent. */
  status: 'sent' | 'paid' | 'failed' | 'cancelled';
  /** The amount that was sent. Refunds do not change it. */
  amount_cents: number;
  /**
   * The sum of the losses, such as refunds, that were recorded after the payout was sent. If the item fails or is
   * cancelled, this sum is subtracted from the payout.
   */
  withheld_cents: Generated<number>;
  /** The partner's payout details, as they were when the batch was created. Encrypted. */
  sealed_details: string;
  /** Why the item failed. */
  reason: string | null;
  reference: string | null;
  closed_at: number | null;
}

/** The transfer of a payout by a provider's API. */
export interface PayoutTransferTable {
  program_id: number;
  batch_id: number;
  payout_id: number;
  workspace_id: number;
  provider: PayoutProviderName;
  /** The idempotency key of the request to the provider. */
  transfer_key: string;
  /**
   * - `queued`: not sent yet.
   * - `sending`: an attempt was made or is being made.
   * - `accepted`: the provider has accepted the payment, but has not reported a result.
   * - `unclear`: the outcome is unknown, and sending again could pay twice. A user must import the result.
   * - `done`: the item is closed.
   */
  state: 'queued' | 'sending' | 'accepted' | 'unclear' | 'done';
  /** The id of the payment at the provider. */
  transfer_id: string | null;
  attempts: Generated<number>;
  /**
   * The time of the first attempt. Set again when the payout is sent after its idempotency key has expired, and
   * when the wait for the result starts again.
   */
  sent_at: number | null;
  /**
   * While a process works on the transfer: the end of its lease. Otherwise: the time at which a job continues, or null
   * if there is nothing to do.
   */
  run_at: number | null;
  last_error: string | null;
}

export interface PayoutSettingsTable {
  program_id: number;
  min_payout_cents: number | null;
  /** Day of the month, in UTC. */
  schedule_day: number | null;
  /** When the schedule was set. Scheduled days before this time are ignored. */
  scheduled_at: number | null;
  /** The account that pays the payouts of the program, encrypted. */
  sealed_debtor: string | null;
}

/** The payouts that a program's schedule proposed in a month. `totals` is JSON. */
export interface PayoutRunTable {
  id: Generated<number>;
  program_id: number;
  /** `YYYY-MM`, in UTC. */
  month: string;
  status: 'proposed' | 'confirmed' | 'dismissed' | 'empty';
  totals: string;
  created_at: number;
  decided_at: number | null;
  decided_by: number | null;
}

/** A commission that was part of a payout until the payout was cancelled. */
export interface CancelledPayoutCommissionTable {
  program_id: number;
  commission_id: number;
  payout_id: number;
}

/**
 * A run of the chain test, which sends a test click, a test lead and a test sale. Used to limit the rate of
 * runs.
 */
export interface ChainTestTable {
  id: Generated<number>;
  program_id: number;
  run_at: number;
}

export interface BalanceTable {
  /** The id of the program, or 0 for the partner's balance over all programs. */
  program_id: number;
  partner_id: number;
  currency: string;
  balance_cents: number;
}
