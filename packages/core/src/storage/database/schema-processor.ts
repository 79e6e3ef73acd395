import type { Generated } from 'kysely';
import type { DisputeState } from '../../domain/dispute.ts';

/** An account at a payment processor, whose webhooks record sales and refunds of a workspace. */
export interface ProcessorConnectionTable {
  id: Generated<number>;
  workspace_id: number;
  processor: 'stripe';
  account_id: string;
  /** Encrypted: see `access/seal.ts`. */
  webhook_secret: string;
  /** The secret before the last rotation, valid until `previous_until`. */
  previous_secret: string | null;
  previous_until: number | null;
  charges_enabled: 0 | 1;
  payouts_enabled: 0 | 1;
  details_submitted: 0 | 1;
  /** Which events of the processor count. */
  mode: Generated<'live' | 'test'>;
  /** Whether a live connection records test payments as test sales. */
  record_test_events: Generated<0 | 1>;
  /** Time of the first verified webhook. */
  connected_at: number | null;
  disconnected_at: number | null;
  created_at: number;
}

export type ProcessorOutcome =
  | 'sale_recorded'
  | 'duplicate'
  | 'refunded'
  | 'refund_skipped'
  | 'refund_failed'
  | 'dispute_held'
  | 'dispute_released'
  | 'dispute_lost'
  | 'dispute_skipped'
  | 'parked'
  | 'tied'
  | 'test_recorded'
  | 'ignored';

/** The decision on a webhook event; one per connection and event. */
export interface ProcessorEventTable {
  connection_id: number;
  event_id: string;
  workspace_id: number;
  type: string;
  outcome: ProcessorOutcome;
  reason: string | null;
  program_id: number | null;
  sale_id: number | null;
  click_id: string | null;
  customer_key: string | null;
  event_at: number;
  received_at: number;
}

/** A payment id that an event contains. */
export interface ProcessorEventRefTable {
  workspace_id: number;
  ref: string;
  connection_id: number;
  event_id: string;
}

/** Two ids of the same payment, with or without a sale. Each pair is stored in both directions. */
export interface ProcessorTieTable {
  workspace_id: number;
  ref: string;
  other: string;
  /** When an event or request last named one of the ids. Updated at most once a day. */
  used_at: number;
}

/** A refunded charge with its refunded total. */
export interface ProcessorChargeTable {
  workspace_id: number;
  /** The id of the charge, or of the payment or invoice when events name no charge. */
  charge: string;
  /** The program of the sale. For a parked refund, the program in its metadata, or null. */
  program_id: number | null;
  /** Null when the refund is parked: its sale is not known yet. */
  sale_id: number | null;
  currency: string;
  /** The largest refunded total that the processor reported; 0 when only single refunds were reported. */
  refunded_cents: number;
  is_whole: 0 | 1;
  reason: string | null;
  refunded_at: number;
  parked_at: number;
  /**
   * When the job checks a parked refund next. Null stops the checks; then only a new reference can find the
   * sale.
   */
  check_at: number | null;
}

/** A refund that the processor reported with its id; one per workspace and refund. */
export interface ProcessorRefundTable {
  workspace_id: number;
  refund: string;
  /** The charge in `processor_charges` that was refunded. */
  charge: string;
  currency: string;
  amount_cents: number;
  /** Whether it failed or was canceled, so that the customer got no money. */
  is_failed: 0 | 1;
}

/** A dispute of a charge: its latest state, and the state that was applied to the commission of its sale. */
export interface ProcessorDisputeTable {
  workspace_id: number;
  dispute: string;
  charge: string;
  /** The program of the sale. For a parked dispute, the program in its metadata, or null. */
  program_id: number | null;
  /** Null when the dispute is parked: its sale is not known yet. */
  sale_id: number | null;
  state: DisputeState;
  /** Null before the first state is applied. */
  applied_state: DisputeState | null;
  amount_cents: number;
  currency: string;
  reason: string | null;
  /** Time of the event that reported the state. */
  reported_at: number;
  parked_at: number;
  /** When the job checks a parked dispute next. Null stops the checks. */
  check_at: number | null;
}

/** A payment that waits for an event with more detail, such as its invoice. */
export interface PendingPaymentTable {
  connection_id: number;
  event_id: string;
  workspace_id: number;
  /** The content of the event as JSON. */
  payment: string;
  event_at: number | null;
  /** When to record the payment without waiting for more detail. */
  due_at: number;
}
