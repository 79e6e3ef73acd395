import type { Generated } from 'kysely';
import type { DisputeState } from '../../domain/dispute.ts';

/** An account at a payment processor. Its webhooks record sales and refunds of a workspace. */
export interface ProcessorConnectionTable {
  id: Generated<number>;
  workspace_id: number;
  processor: 'stripe';
  account_id: string;
  /** Encrypted; see `access/seal.ts`. */
  webhook_secret: string;
  /** The secret before the last rotation. Valid until `previous_until`. */
  previous_secret: string | null;
  previous_until: number | null;
  charges_enabled: 0 | 1;
  payouts_enabled: 0 | 1;
  details_submitted: 0 | 1;
  /** The mode of the events that the connection accepts. */
  mode: Generated<'live' | 'test'>;
  /** Whether a live connection records test payments as test sales. */
  record_test_events: Generated<0 | 1>;
  /** The time of the first verified webhook. */
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

/** The decision about a webhook event. There is one row per connection and event. */
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

/** Two ids of the same payment. Each pair is stored in both directions. */
export interface ProcessorTieTable {
  workspace_id: number;
  ref: string;
  other: string;
  /** When an event or request last used one of the ids. Written at most once a day. */
  used_at: number;
}

/** A charge that was refunded, with the total of its refunds. */
export interface ProcessorChargeTable {
  workspace_id: number;
  /** The id of the charge. If the events contain no charge, the id of the payment or invoice. */
  charge: string;
  /** The program of the sale. For a parked refund, it is the program in the metadata, or null. */
  program_id: number | null;
  /** Null while the refund is parked because its sale is not known yet. */
  sale_id: number | null;
  currency: string;
  /** The highest refunded total that the processor has reported. 0 if it has reported only individual refunds. */
  refunded_cents: number;
  is_whole: 0 | 1;
  reason: string | null;
  refunded_at: number;
  parked_at: number;
  /**
   * When to look again for the sale of a parked refund. Null when there are no more checks. Even then, the refund is
   * applied if a sale with one of the payment's ids is recorded later, or if an event adds such an id to a sale.
   */
  check_at: number | null;
}

/** A refund that the processor reported with an id. There is one row per workspace and refund. */
export interface ProcessorRefundTable {
  workspace_id: number;
  refund: string;
  /** The charge in `processor_charges` that was refunded. */
  charge: string;
  currency: string;
  amount_cents: number;
  /** Whether the refund failed or was canceled, so that the customer got no money. */
  is_failed: 0 | 1;
}

/** A dispute of a charge, with its latest state and the state that the commission already reflects. */
export interface ProcessorDisputeTable {
  workspace_id: number;
  dispute: string;
  charge: string;
  /** The program of the sale. For a parked dispute, it is the program in the metadata, or null. */
  program_id: number | null;
  /** Null while the dispute is parked because its sale is not known yet. */
  sale_id: number | null;
  state: DisputeState;
  /** Null until a state is applied. */
  applied_state: DisputeState | null;
  amount_cents: number;
  currency: string;
  reason: string | null;
  /** The time of the event that reported the state. */
  reported_at: number;
  parked_at: number;
  /** When to look again for the sale of a parked dispute. Null when there are no more checks. */
  check_at: number | null;
}

/** A payment that waits for an event with more details, such as its invoice. */
export interface PendingPaymentTable {
  connection_id: number;
  event_id: string;
  workspace_id: number;
  /** The content of the event as JSON. */
  payment: string;
  event_at: number | null;
  /** When to record the payment even if no event with more details has arrived. */
  due_at: number;
}
