/**
 * Creates Stripe events in the format of an API version, with only the fields that matter to Affkit. Ids that
 * belong together end in the same name.
 */

export type ApiVersion = 'acacia' | 'basil';

type Fields = Readonly<Record<string, unknown>>;

/** Unix time in seconds; equals `START`, the time of the world's clock. */
export const CREATED = Date.UTC(2026, 5, 15, 12) / 1000;

let count = 0;

export function event(type: string, object: Fields, fields: Fields = {}) {
  count += 1;
  return {
    id: `evt_${count}`,
    object: 'event',
    api_version: '2025-03-31.basil',
    created: CREATED,
    livemode: true,
    pending_webhooks: 1,
    type,
    data: { object },
    ...fields,
  };
}

export type StripeEvent = ReturnType<typeof event>;

/** A checkout session with one payment of 19.99 USD. */
export function paymentSession(name: string, metadata: Fields, fields: Fields = {}) {
  return {
    id: `cs_${name}`,
    object: 'checkout.session',
    mode: 'payment',
    payment_status: 'paid',
    status: 'complete',
    amount_subtotal: 1999,
    amount_total: 1999,
    currency: 'usd',
    created: CREATED - 60,
    customer: null,
    invoice: null,
    payment_intent: `pi_${name}`,
    subscription: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    metadata,
    ...fields,
  };
}

/** The fields of a session or invoice whose price of 19.99 USD a coupon covers. */
export const FREE_SESSION = {
  amount_total: 0,
  payment_status: 'no_payment_required',
  payment_intent: null,
  total_details: { amount_discount: 1999, amount_shipping: 0, amount_tax: 0 },
};
export const FREE_INVOICE = {
  amount_due: 0,
  amount_paid: 0,
  total: 0,
  total_discount_amounts: [{ amount: 1999, discount: 'di_1' }],
};

/** A checkout session that starts the subscription `sub_<name>` with the invoice `in_<name>`. */
export function subscriptionSession(name: string, metadata: Fields, fields: Fields = {}) {
  return paymentSession(name, metadata, {
    mode: 'subscription',
    invoice: `in_${name}`,
    payment_intent: null,
    subscription: `sub_${name}`,
    ...fields,
  });
}

/** A paid invoice of the subscription `sub_<sub>`. `metadata` belongs to the subscription. */
export function invoice(
  version: ApiVersion,
  name: string,
  sub: string,
  metadata: Fields,
  fields: Fields = {},
) {
  const subscription = `sub_${sub}`;
  const details = { metadata, subscription };
  const line = {
    id: `il_${name}`,
    object: 'line_item',
    amount: 1999,
    currency: 'usd',
    metadata,
    ...(version === 'basil'
      ? {
          parent: {
            type: 'subscription_item_details',
            subscription_item_details: { subscription, subscription_item: `si_${sub}` },
          },
        }
      : { type: 'subscription', subscription, subscription_item: `si_${sub}` }),
  };
  return {
    id: `in_${name}`,
    object: 'invoice',
    amount_due: 1999,
    amount_paid: 1999,
    amount_remaining: 0,
    billing_reason: name === sub ? 'subscription_create' : 'subscription_cycle',
    created: CREATED - 60,
    currency: 'usd',
    metadata: {},
    status: 'paid',
    subtotal: 1999,
    total: 1999,
    lines: { object: 'list', data: [line], has_more: false },
    ...(version === 'basil'
      ? { parent: { type: 'subscription_details', quote_details: null, subscription_details: details } }
      : {
          subscription,
          subscription_details: { metadata },
          charge: `ch_${name}`,
          payment_intent: `pi_${name}`,
          paid: true,
        }),
    ...fields,
  };
}

/** The payment of an invoice. Since API version Basil, only this object links the payment to the invoice. */
export function invoicePayment(name: string, fields: Fields = {}) {
  return {
    id: `inpay_${name}`,
    object: 'invoice_payment',
    amount_paid: 1999,
    amount_requested: 1999,
    created: CREATED,
    currency: 'usd',
    invoice: `in_${name}`,
    is_default: true,
    livemode: true,
    payment: { type: 'payment_intent', payment_intent: `pi_${name}` },
    status: 'paid',
    ...fields,
  };
}

/** A payment intent of 19.99 USD. Stripe copies its metadata to the charge. */
export function paymentIntent(version: ApiVersion, name: string, metadata: Fields, fields: Fields = {}) {
  return {
    id: `pi_${name}`,
    object: 'payment_intent',
    amount: 1999,
    amount_capturable: 0,
    amount_received: 1999,
    capture_method: 'automatic_async',
    created: CREATED - 60,
    currency: 'usd',
    latest_charge: `ch_${name}`,
    metadata,
    status: 'succeeded',
    ...(version === 'acacia' && { invoice: null }),
    ...fields,
  };
}

/** A product of a payment: `prod_<name>` with its amount after discounts, and its tax on top of that. */
export interface SoldProduct {
  readonly name: string;
  readonly amount: number;
  readonly tax?: number;
  readonly interval?: 'month' | 'year';
}

/** The line items of a session, which an event contains only if they were expanded. */
export function sessionLines(products: readonly SoldProduct[]) {
  const data = products.map(({ name, amount, tax = 0, interval }) => ({
    id: `li_${name}`,
    object: 'item',
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: tax,
    amount_total: amount + tax,
    currency: 'usd',
    description: `The ${name}`,
    price: {
      id: `price_${name}`,
      product: `prod_${name}`,
      recurring: interval ? { interval, interval_count: 1 } : null,
    },
    quantity: 1,
  }));
  return { object: 'list', data, has_more: false };
}

/** The lines of an invoice of the subscription `sub_<sub>`. */
export function invoiceLines(version: ApiVersion, sub: string, products: readonly SoldProduct[]) {
  const data = products.map(({ name, amount, tax = 0, interval = 'month' }) => ({
    id: `il_${name}`,
    object: 'line_item',
    // A discount of 1.00, so that the list price differs from what was paid.
    amount: amount + 100,
    currency: 'usd',
    description: `The ${name}`,
    discount_amounts: [{ amount: 100, discount: 'di_1' }],
    metadata: {},
    period: { start: CREATED, end: CREATED + (interval === 'month' ? 30 : 365) * 86_400 },
    quantity: 1,
    ...(version === 'basil'
      ? {
          parent: {
            type: 'subscription_item_details',
            subscription_item_details: { proration: false, subscription: `sub_${sub}` },
          },
          pricing: {
            type: 'price_details',
            price_details: { price: `price_${name}`, product: `prod_${name}` },
            unit_amount_decimal: String(amount + 100),
          },
          taxes: [{ amount: tax, tax_behavior: 'exclusive' }],
        }
      : {
          type: 'subscription',
          subscription: `sub_${sub}`,
          price: {
            id: `price_${name}`,
            product: `prod_${name}`,
            recurring: { interval, interval_count: 1 },
          },
          tax_amounts: [{ amount: tax, inclusive: false }],
        }),
  }));
  return { object: 'list', data, has_more: false };
}

/** A charge. @param refunded total refunded amount in cents */
export function charge(
  version: ApiVersion,
  name: string,
  refunded: number,
  amount = 1999,
  fields: Fields = {},
) {
  return {
    id: `ch_${name}`,
    object: 'charge',
    amount,
    amount_captured: amount,
    amount_refunded: refunded,
    captured: true,
    currency: 'usd',
    metadata: {},
    payment_intent: `pi_${name}`,
    refunded: refunded >= amount,
    status: 'succeeded',
    ...(version === 'acacia' && { invoice: `in_${name}` }),
    ...fields,
  };
}

/** A dispute `dp_<name>` of the charge `ch_<name>`, as the current API version reports it. */
export function dispute(name: string, status: string, amount = 1999, fields: Fields = {}) {
  const isInquiry = status.startsWith('warning_') || status === 'prevented';
  const withdrawal = { object: 'balance_transaction', amount: -amount, currency: 'usd', fee: 1500 };
  const reinstatement = { ...withdrawal, amount, fee: 0 };
  return {
    id: `dp_${name}`,
    object: 'dispute',
    amount,
    balance_transactions: isInquiry
      ? []
      : [
          { id: `txn_${name}_1`, ...withdrawal },
          ...(status === 'won' ? [{ id: `txn_${name}_2`, ...reinstatement }] : []),
        ],
    charge: `ch_${name}`,
    created: CREATED,
    currency: 'usd',
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: {
      due_by: CREATED + 604_800,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: isInquiry,
    livemode: false,
    metadata: {},
    payment_intent: `pi_${name}`,
    payment_method_details: { card: { brand: 'visa', case_type: 'chargeback' }, type: 'card' },
    reason: 'fraudulent',
    status,
    ...fields,
  };
}

/** A refund `re_<id>` of the charge `ch_<name>`. */
export function refund(name: string, id: string, amount: number, fields: Fields = {}) {
  return {
    id: `re_${id}`,
    object: 'refund',
    amount,
    balance_transaction: `txn_${id}`,
    charge: `ch_${name}`,
    created: CREATED,
    currency: 'usd',
    metadata: {},
    payment_intent: `pi_${name}`,
    reason: null,
    status: 'succeeded',
    ...fields,
  };
}

/**
 * A credit note of the invoice `in_<name>`.
 * @param refundId the refund that it names; null credits the customer's balance instead
 */
export function creditNote(version: ApiVersion, name: string, refundId: string | null, amount: number) {
  const refundRef = refundId === null ? null : `re_${refundId}`;
  return {
    id: `cn_${name}`,
    object: 'credit_note',
    amount,
    currency: 'usd',
    customer_balance_transaction: refundId === null ? 'cbtxn_1' : null,
    invoice: `in_${name}`,
    metadata: {},
    out_of_band_amount: null,
    reason: null,
    status: 'issued',
    type: 'post_payment',
    ...(version === 'basil'
      ? { refunds: refundRef === null ? [] : [{ amount_refunded: amount, refund: refundRef }] }
      : { refund: refundRef }),
  };
}
