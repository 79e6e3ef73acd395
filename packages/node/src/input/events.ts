/** A field that may be left out; `null` and `undefined` are the same as leaving it out. */
type Optional<T> = T | null | undefined;

/** Anything of the advertiser's own, kept with the event; at most 8 KiB as JSON. */
export interface AdditionalData {
  /** The event is flagged as a test and changes no attribution, commission or figure. */
  test_mode?: boolean;
  /** The program of a test event. */
  program_id?: number | string;
  [name: string]: unknown;
}

/** A completed payment. Give `customer_key` or `click_id`; the key is tried first. */
export interface SaleInput {
  /** Unique in the whole service, other programs included: take the processor's id, or prefix your own. */
  transaction_id: string;
  /** In the smallest unit of the currency: 1050 is 10.50 in USD. */
  amount_cents: number;
  /** Your own stable id of the user, the same as in the lead. */
  customer_key?: Optional<string>;
  /** From the cookie `service_click_id`. */
  click_id?: Optional<string>;
  /** ISO 4217. @default 'USD' */
  currency?: Optional<string>;
  /** @default 'payment' */
  sale_type?: Optional<'payment' | 'subscription'>;
  /** Kept with the sale; at most 48 KiB as JSON. */
  line_items?: Optional<Record<string, unknown>>;
  is_recurring?: Optional<boolean>;
  /** Ties renewals to the first payment. */
  subscription_id?: Optional<string>;
  subscription_interval?: Optional<'monthly' | 'quarterly' | 'annual'>;
  /** Chooses the product's commission policy. */
  product_id?: Optional<string>;
  /** ISO 8601 with a zone, at most 90 days back. @default the time of the call */
  occurred_at?: Optional<string>;
  /** Up to 10 other ids of the same payment, so that the processor's webhook finds this sale. */
  processor_refs?: Optional<string[]>;
  additional_data?: Optional<AdditionalData>;
}

/** A sale in test mode, where only the mode itself is required. */
export interface TestSaleInput
  extends Omit<SaleInput, 'transaction_id' | 'amount_cents' | 'additional_data'> {
  transaction_id?: Optional<string>;
  amount_cents?: Optional<number>;
  additional_data: AdditionalData & { test_mode: true };
}

/** A refund of a recorded sale. */
export interface RefundInput {
  /** The one given with the sale. */
  transaction_id: string;
  /** Absent or 0: the whole sale. Only the first refund of a sale counts, so give its final figure. */
  refund_amount_cents?: Optional<number>;
  /** At most 2,000 characters; shown to the partner. */
  refund_reason?: Optional<string>;
  /** ISO 8601 with a zone, at most 90 days back. @default the time of the call */
  occurred_at?: Optional<string>;
  additional_data?: Optional<AdditionalData>;
}

/** A sign-up. Give `click_id` or `customer_key`, at the first time both: that ties them together. */
export interface LeadInput {
  /** From the cookie `service_click_id`. */
  click_id?: Optional<string>;
  /** Your own stable id of the user; use the same with sales. */
  customer_key?: Optional<string>;
  /** Kept as a hash and masked. A SHA-256 in hex is taken as the hash. */
  email?: Optional<string>;
  session_id?: Optional<string>;
  page_url?: Optional<string>;
  /** ISO 8601 with a zone, at most 90 days back. @default the time of the call */
  occurred_at?: Optional<string>;
  additional_data?: Optional<AdditionalData & { event_name?: string }>;
}
