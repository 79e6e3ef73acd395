import Stripe from 'stripe';
import { invoiceBeforeBasil } from './stripe-before-basil.ts';
import { subscriptionItem } from './stripe-lines.ts';
import { type ApiVersion, CREATED, type Shape, unchecked } from './stripe-shape.ts';

export { type ApiVersion, CREATED };

/**
 * Creates Stripe events with only the fields that matter to Affkit. Ids that belong together end in the same
 * name. The compiler checks each object against the types of the current API version.
 */

type Metadata = Readonly<Stripe.Metadata>;
/** The status of a dispute. */
export type DisputeStatus = Shape<Stripe.Dispute.Status>;
type Fields = Readonly<Record<string, unknown>>;

let count = 0;

export function event(type: string, object: Fields, fields: Fields = {}) {
  count += 1;
  return {
    id: `evt_${count}`,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: CREATED,
    livemode: true,
    pending_webhooks: 1,
    type,
    data: { object },
    ...fields,
  };
}

export type StripeEvent = ReturnType<typeof event>;

/** Returns a checkout session with one payment of 19.99 USD. */
export function paymentSession(
  name: string,
  metadata: Metadata,
  fields: Shape<Stripe.Checkout.Session> = {},
): Shape<Stripe.Checkout.Session> {
  const session = {
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
    livemode: true,
    payment_intent: `pi_${name}`,
    shipping_cost: null,
    subscription: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    metadata,
  } satisfies Shape<Stripe.Checkout.Session>;
  return { ...session, ...fields };
}

/** The fields of a session or invoice that a coupon reduces from 19.99 USD to 0. */
export const FREE_SESSION = {
  amount_total: 0,
  payment_status: 'no_payment_required',
  payment_intent: null,
  total_details: { amount_discount: 1999, amount_shipping: 0, amount_tax: 0 },
} satisfies Shape<Stripe.Checkout.Session>;
export const FREE_INVOICE = {
  amount_due: 0,
  amount_paid: 0,
  total: 0,
  total_discount_amounts: [{ amount: 1999, discount: 'di_1' }],
} satisfies Shape<Stripe.Invoice>;

/** Returns a checkout session that starts the subscription `sub_<name>` with the invoice `in_<name>`. */
export function subscriptionSession(
  name: string,
  metadata: Metadata,
  fields: Shape<Stripe.Checkout.Session> = {},
): Shape<Stripe.Checkout.Session> {
  return paymentSession(name, metadata, {
    mode: 'subscription',
    invoice: `in_${name}`,
    payment_intent: null,
    subscription: `sub_${name}`,
    ...fields,
  });
}

/** Returns a paid invoice of the subscription `sub_<sub>`. `metadata` belongs to the subscription. */
export function invoice(
  version: ApiVersion,
  name: string,
  sub: string,
  metadata: Metadata,
  fields: Shape<Stripe.Invoice> = {},
): Shape<Stripe.Invoice> {
  const subscription = `sub_${sub}`;
  const line = {
    id: `il_${name}`,
    object: 'line_item',
    amount: 1999,
    currency: 'usd',
    livemode: true,
    metadata,
    parent: subscriptionItem(sub),
    subscription,
  } satisfies Shape<Stripe.InvoiceLineItem>;
  const current = {
    id: `in_${name}`,
    object: 'invoice',
    amount_due: 1999,
    amount_overpaid: 0,
    amount_paid: 1999,
    amount_remaining: 0,
    billing_reason: name === sub ? 'subscription_create' : 'subscription_cycle',
    created: CREATED - 60,
    currency: 'usd',
    livemode: true,
    metadata: {},
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata, subscription },
    },
    status: 'paid',
    subtotal: 1999,
    total: 1999,
    lines: { object: 'list', data: [line], has_more: false, url: `/v1/invoices/in_${name}/lines` },
  } satisfies Shape<Stripe.Invoice>;
  return { ...(version === 'current' ? current : invoiceBeforeBasil(current, name)), ...fields };
}

/**
 * Returns the payment of an invoice. Since API version Basil, only this object links the payment to the invoice.
 */
export function invoicePayment(
  name: string,
  fields: Shape<Stripe.InvoicePayment> = {},
): Shape<Stripe.InvoicePayment> {
  const payment = {
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
    status_transitions: { canceled_at: null, paid_at: CREATED },
  } satisfies Shape<Stripe.InvoicePayment>;
  return { ...payment, ...fields };
}

/** Returns a payment intent of 19.99 USD. Stripe copies its metadata to the charge. */
export function paymentIntent(
  version: ApiVersion,
  name: string,
  metadata: Metadata,
  fields: Shape<Stripe.PaymentIntent> = {},
): Shape<Stripe.PaymentIntent> {
  const current = {
    id: `pi_${name}`,
    object: 'payment_intent',
    amount: 1999,
    amount_capturable: 0,
    amount_received: 1999,
    capture_method: 'automatic_async',
    created: CREATED - 60,
    currency: 'usd',
    latest_charge: `ch_${name}`,
    livemode: true,
    metadata,
    status: 'succeeded',
  } satisfies Shape<Stripe.PaymentIntent>;
  return { ...current, ...(version === 'acacia' && { invoice: null }), ...fields };
}

/** Returns a charge. @param refunded total refunded amount in cents */
export function charge(
  version: ApiVersion,
  name: string,
  refunded: number,
  amount = 1999,
  fields: Shape<Stripe.Charge> = {},
): Shape<Stripe.Charge> {
  const current = {
    id: `ch_${name}`,
    object: 'charge',
    amount,
    amount_captured: amount,
    amount_refunded: refunded,
    captured: true,
    currency: 'usd',
    livemode: true,
    metadata: {},
    paid: true,
    payment_intent: `pi_${name}`,
    refunded: refunded >= amount,
    status: 'succeeded',
  } satisfies Shape<Stripe.Charge>;
  return { ...current, ...(version === 'acacia' && { invoice: `in_${name}` }), ...fields };
}

/** Returns a charge of 19.99 USD without an invoice. */
export function chargeWithoutInvoice(
  version: ApiVersion,
  name: string,
  refunded: number,
  fields: Shape<Stripe.Charge> = {},
): Shape<Stripe.Charge> {
  const invoice = unchecked(version === 'acacia' ? { invoice: null } : {});
  return charge('current', name, refunded, 1999, { ...invoice, ...fields });
}

/** Returns a dispute `dp_<name>` of the charge `ch_<name>`. */
export function dispute(
  name: string,
  status: DisputeStatus,
  amount = 1999,
  fields: Shape<Stripe.Dispute> = {},
): Shape<Stripe.Dispute> {
  const isInquiry = status.startsWith('warning_') || status === 'prevented';
  const withdrawal = {
    object: 'balance_transaction',
    amount: -amount,
    currency: 'usd',
    fee: 1500,
    net: -amount - 1500,
    reporting_category: 'dispute',
    type: 'adjustment',
  } satisfies Shape<Stripe.BalanceTransaction>;
  const reinstatement = {
    ...withdrawal,
    amount,
    fee: 0,
    net: amount,
    reporting_category: 'dispute_reversal',
  } satisfies Shape<Stripe.BalanceTransaction>;
  const current = {
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
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    intended_submission_method: null,
    is_charge_refundable: isInquiry,
    livemode: true,
    metadata: {},
    payment_intent: `pi_${name}`,
    payment_method_details: {
      card: { brand: 'visa', case_type: isInquiry ? 'inquiry' : 'chargeback', network_reason_code: null },
      type: 'card',
    },
    reason: 'fraudulent',
    status,
  } satisfies Shape<Stripe.Dispute>;
  return { ...current, ...fields };
}

/** Returns a refund `re_<id>` of the charge `ch_<name>`. */
export function refund(
  name: string,
  id: string,
  amount: number,
  fields: Shape<Stripe.Refund> = {},
): Shape<Stripe.Refund> {
  const current = {
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
  } satisfies Shape<Stripe.Refund>;
  return { ...current, ...fields };
}

/**
 * Returns a credit note of the invoice `in_<name>`.
 * @param refundId the refund that the credit note names; null for a credit note that credits the customer's
 * balance
 */
export function creditNote(
  version: ApiVersion,
  name: string,
  refundId: string | null,
  amount: number,
): Shape<Stripe.CreditNote> {
  const refund = refundId === null ? null : `re_${refundId}`;
  const { refunds, ...note } = {
    id: `cn_${name}`,
    object: 'credit_note',
    amount,
    currency: 'usd',
    customer_balance_transaction: refund === null ? 'cbtxn_1' : null,
    invoice: `in_${name}`,
    livemode: true,
    metadata: {},
    out_of_band_amount: null,
    post_payment_amount: amount,
    pre_payment_amount: 0,
    reason: null,
    refunds:
      refund === null
        ? []
        : [{ amount_refunded: amount, payment_record_refund: null, refund, type: 'refund' as const }],
    status: 'issued',
    type: 'post_payment',
  } satisfies Shape<Stripe.CreditNote>;
  return { ...note, ...(version === 'current' ? { refunds } : { refund }) };
}
