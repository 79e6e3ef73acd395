import type { Generated } from 'kysely';

/** A payment processor's account, whose webhooks record sales and refunds of a workspace. */
export interface ProcessorConnectionTable {
  id: Generated<number>;
  workspace_id: number;
  processor: 'stripe';
  account_id: string;
  /** Sealed: see `access/seal.ts`. */
  webhook_secret: string;
  /** The one before, which counts until `previous_until`. */
  previous_secret: string | null;
  previous_until: number | null;
  charges_enabled: 0 | 1;
  payouts_enabled: 0 | 1;
  details_submitted: 0 | 1;
  /** First verified webhook. */
  connected_at: number | null;
  disconnected_at: number | null;
  created_at: number;
}

export type ProcessorOutcome =
  | 'sale_recorded'
  | 'duplicate'
  | 'refunded'
  | 'refund_skipped'
  | 'parked'
  | 'tied'
  | 'ignored';

/** What was decided on an event, once a connection. */
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

/** The ids of a payment that an event names. */
export interface ProcessorEventRefTable {
  workspace_id: number;
  ref: string;
  connection_id: number;
  event_id: string;
}

/** Two ids of one payment, whichever sale it is or may become; each pair stands both ways. */
export interface ProcessorTieTable {
  workspace_id: number;
  ref: string;
  other: string;
}

/** How much of a charge was refunded, and how much of that its sale has been told. */
export interface ProcessorChargeTable {
  workspace_id: number;
  charge: string;
  /** Of the sale; of a parked refund the one that its metadata names, if any. */
  program_id: number | null;
  /** Null = parked: no sale is known yet. */
  sale_id: number | null;
  currency: string;
  /** In all, as the processor counts. */
  refunded_cents: number;
  is_whole: 0 | 1;
  reason: string | null;
  refunded_at: number;
  /** Of `refunded_cents`, what needs no more work. */
  settled_cents: Generated<number>;
  /** Of the sale's refunds, what came by this charge. */
  deducted_cents: Generated<number>;
  /** Of the refunds that came otherwise, what this charge's sum tells again. */
  matched_cents: Generated<number>;
  parked_at: number;
  /** When the jobs look at a parked one next; null = no more, only a new reference finds its sale. */
  check_at: number | null;
}
