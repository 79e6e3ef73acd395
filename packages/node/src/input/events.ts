/** An optional field. `null` and `undefined` count as absent. */
type Optional<T> = T | null | undefined;

/** Your own data, which is stored with the event. At most 8 KiB as JSON and 100 levels deep. */
export interface AdditionalData {
  /** Whether this is a test event. Test events change no attribution, commission or statistic. */
  test_mode?: boolean;
  /** The program of a test event. */
  program_id?: number | string;
  [name: string]: unknown;
}

/** At least one of the two ids of a customer. */
type CustomerId =
  | {
      /** Your own stable id of the user: the same id in leads and sales. At most 255 characters. */
      customer_key: string;
    }
  | {
      /** The value of the cookie `service_click_id`. */
      click_id: string;
    };

/** The fields of a sale. {@link SaleInput} also requires a customer. */
export interface SaleFields {
  /**
   * Your id of the payment, at most 255 characters. By default, it must be unique in the whole service, not
   * only in your program. If the service has `TRANSACTION_IDS=workspace`, it must be unique only in your
   * workspace. Use the payment processor's id, or add a prefix to your own id.
   */
  transaction_id: string;
  /** A positive integer in the smallest unit of the currency: 1050 is 10.50 USD. */
  amount_cents: number;
  /** Your own stable id of the user: the same id that you sent with the lead. At most 255 characters. */
  customer_key?: Optional<string>;
  /** The value of the cookie `service_click_id`. */
  click_id?: Optional<string>;
  /**
   * An ISO 4217 currency code.
   *
   * @default 'USD'
   */
  currency?: Optional<string>;
  /** @default 'payment' */
  sale_type?: Optional<'payment' | 'subscription'>;
  /**
   * Stored with the sale. At most 48 KiB as JSON. `line_items` or its field `data` may be a list of
   * `{ product_id, amount_cents, tax_cents }`. Each listed product then earns commission by its own policy,
   * unless the sale has a `product_id`.
   */
  line_items?: Optional<Record<string, unknown> | unknown[]>;
  /** Whether this payment renews a subscription. False for the first payment. */
  is_recurring?: Optional<boolean>;
  /** The id of the subscription. It connects renewals with the first payment. */
  subscription_id?: Optional<string>;
  subscription_interval?: Optional<'monthly' | 'quarterly' | 'annual'>;
  /** Tax that `amount_cents` includes. It earns no commission if the program's `commission_base` is `net`. */
  tax_cents?: Optional<number>;
  /**
   * Shipping costs before tax, included in `amount_cents`. They earn no commission if `commission_base` is
   * `net`.
   */
  shipping_cents?: Optional<number>;
  /** Your id of the product. Selects the commission policy of that product. */
  product_id?: Optional<string>;
  /**
   * When the payment was completed: ISO 8601 with a time zone, at most 90 days ago.
   *
   * @default the time at which the server receives the event; with a spool, the time of the call
   */
  occurred_at?: Optional<string>;
  /**
   * Age of the event when you send it, in milliseconds, at most 90 days. Set it if you send events from your
   * own queue: the server then uses it instead of `occurred_at` if your clock is wrong by more than 5 minutes.
   * The spool and the outbox set it for you.
   */
  age_ms?: Optional<number>;
  /**
   * Up to 10 other ids of the same payment. The server matches the payment processor's webhooks to this sale
   * by any of these ids.
   */
  processor_refs?: Optional<string[]>;
  additional_data?: Optional<AdditionalData>;
}

/**
 * A completed payment. Either `customer_key` or `click_id` is required. If both are given, the server looks
 * up the customer by `customer_key` first.
 */
export type SaleInput = SaleFields & CustomerId;

/** A sale in test mode. Only `additional_data.test_mode` is required. */
export interface TestSaleInput
  extends Omit<SaleFields, 'transaction_id' | 'amount_cents' | 'additional_data'> {
  transaction_id?: Optional<string>;
  amount_cents?: Optional<number>;
  additional_data: AdditionalData & { test_mode: true };
}

/** A refund of a recorded sale. */
export interface RefundInput {
  /** The `transaction_id` of the sale. */
  transaction_id: string;
  /**
   * The refunded amount in the smallest unit of the currency.
   *
   * @default 0, which refunds the rest of the sale
   */
  refund_amount_cents?: Optional<number>;
  /**
   * Your id or the payment processor's id of this refund, at most 255 characters. The server applies each id
   * once, so it is safe to send a refund again. A sale can have several refunds if each has its own id. Without
   * an id, only the first refund of a sale counts.
   */
  refund_id?: Optional<string>;
  /** Shown to the partner. At most 2,000 characters. */
  refund_reason?: Optional<string>;
  /**
   * When the refund was made: ISO 8601 with a time zone, at most 90 days ago.
   *
   * @default the time at which the server receives the event; with a spool, the time of the call
   */
  occurred_at?: Optional<string>;
  /**
   * Age of the event when you send it, in milliseconds, at most 90 days. Set it if you send events from your
   * own queue: the server then uses it instead of `occurred_at` if your clock is wrong by more than 5 minutes.
   * The spool and the outbox set it for you.
   */
  age_ms?: Optional<number>;
  additional_data?: Optional<AdditionalData>;
}

/** The fields of a lead. {@link LeadInput} also requires a customer. */
export interface LeadFields {
  /** The value of the cookie `service_click_id`. */
  click_id?: Optional<string>;
  /** Your own stable id of the user. Use the same id in sales. At most 255 characters. */
  customer_key?: Optional<string>;
  /** The email address, or its SHA-256 hash in hex. The server stores only a hash and a masked form. */
  email?: Optional<string>;
  /** The id of the visitor's session. The server truncates it to 255 characters. */
  session_id?: Optional<string>;
  /** URL of the page where the visitor signed up. */
  page_url?: Optional<string>;
  /**
   * When the visitor signed up: ISO 8601 with a time zone, at most 90 days ago.
   *
   * @default the time at which the server receives the event; with a spool, the time of the call
   */
  occurred_at?: Optional<string>;
  /**
   * Age of the event when you send it, in milliseconds, at most 90 days. Set it if you send events from your
   * own queue: the server then uses it instead of `occurred_at` if your clock is wrong by more than 5 minutes.
   * The spool and the outbox set it for you.
   */
  age_ms?: Optional<number>;
  additional_data?: Optional<AdditionalData & { event_name?: string }>;
}

/**
 * A sign-up. Pass both `click_id` and `customer_key` to link your user to the click. At least one is
 * required.
 */
export type LeadInput = LeadFields & CustomerId;

/** A lead in test mode. Only `additional_data.test_mode` is required. */
export interface TestLeadInput extends Omit<LeadFields, 'additional_data'> {
  additional_data: AdditionalData & { test_mode: true; event_name?: string };
}
