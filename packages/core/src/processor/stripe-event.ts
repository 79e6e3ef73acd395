import {
  type IncludedAmounts,
  readIntentAmounts,
  readInvoiceAmounts,
  readSessionAmounts,
} from './stripe-amounts.ts';
import { type DisputeContent, readDispute } from './stripe-dispute.ts';
import {
  type IgnoredContent,
  ignoredContent,
  type PaymentMetadata,
  paymentMetadataSources,
  readMetadata,
  refsOfCharge,
  toRef,
  toRefs,
  toSmallestUnit,
} from './stripe-fields.ts';
import { type StripeObject, stripeIdOf, stripeRowsOf, toCount, toObject, toText } from './stripe-json.ts';
import {
  type BillingInterval,
  type PaymentLine,
  readInvoiceLines,
  readSessionLines,
} from './stripe-lines.ts';
import { type RefundContent, readCreditNote, readRefundEvent, readRefundedCharge } from './stripe-refund.ts';

/**
 * The content of an event in a form that does not depend on Stripe's API. `refs` are all payment ids in the
 * event.
 */
export type EventContent =
  | {
      readonly kind: 'payment';
      readonly refs: readonly string[];
      readonly transactionId: string;
      readonly subscriptionId: string | null;
      /** Whether the payment renews the subscription. False for the first payment. */
      readonly isRenewal: boolean;
      /** Whether the session or invoice of the same payment may contain more details than this event. */
      readonly isSummary: boolean;
      /** The amount in the smallest unit by ISO 4217. It is not validated yet. */
      readonly amountCents: unknown;
      readonly currency: unknown;
      /**
       * The tax that `amountCents` includes. The tax is never larger than `amountCents`. Null when the event
       * does not contain the tax.
       */
      readonly taxCents: number | null;
      /**
       * The shipping that `amountCents` includes, without the tax on shipping. Null when the event does not
       * contain the shipping.
       */
      readonly shippingCents: number | null;
      /** The lines of the payment, or an empty array when the event contains none. */
      readonly lines: readonly PaymentLine[];
      readonly interval: BillingInterval | null;
      readonly metadata: PaymentMetadata;
    }
  /** An event that only shows which ids belong to the same payment. */
  | { readonly kind: 'same_payment'; readonly refs: readonly string[] }
  | RefundContent
  | DisputeContent
  | IgnoredContent
  /** An event of a type that is not handled. */
  | { readonly kind: 'unsupported' };

export type Payment = Extract<EventContent, { kind: 'payment' }>;

type IncludedCents = Pick<Payment, 'taxCents' | 'shippingCents'>;

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  /** The time of the event in epoch milliseconds, or null when the event has no valid time. */
  readonly at: number | null;
  /** Whether the event is from live mode; null when the event does not contain the mode. */
  readonly isLive: boolean | null;
  /** The account that the event belongs to; null when the event does not contain an account. */
  readonly account: string | null;
  readonly content: EventContent;
}

/** The latest time that a `Date` can represent, in seconds. */
const MAX_DATE_SECONDS = 8_640_000_000_000;

/**
 * Reads an event of any Stripe API version. Never throws.
 * @returns null when the JSON is not an event
 */
export function readStripeEvent(json: unknown): StripeEvent | null {
  const event = toObject(json);
  const id = toRef(event['id']);
  const type = toText(event['type']);
  if (id === null || type === null) return null;
  const seconds = toCount(event['created']);
  return {
    id,
    type,
    at: seconds !== null && seconds <= MAX_DATE_SECONDS ? seconds * 1000 : null,
    isLive: typeof event['livemode'] === 'boolean' ? event['livemode'] : null,
    account: toText(event['account']),
    content: readContent(type, toObject(toObject(event['data'])['object'])),
  };
}

function readContent(type: string, object: StripeObject): EventContent {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSessionEvent(object);
    case 'checkout.session.async_payment_failed':
      return ignoredContent('payment_failed');
    case 'invoice.paid':
    case 'invoice.payment_succeeded':
      return readInvoiceEvent(object);
    case 'invoice_payment.paid':
      return samePaymentContent([stripeIdOf(object['invoice']), ...refsOfPayment(object)]);
    case 'charge.succeeded':
      return readChargeEvent(object);
    case 'payment_intent.succeeded':
      return readIntentEvent(object);
    case 'charge.refunded':
      return readRefundedCharge(object);
    case 'refund.created':
    case 'refund.updated':
    case 'charge.refund.updated':
      return readRefundEvent(object, false);
    case 'refund.failed':
      return readRefundEvent(object, true);
    case 'credit_note.created':
      return readCreditNote(object);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return readDispute(object, type === 'charge.dispute.funds_reinstated');
    default:
      return { kind: 'unsupported' };
  }
}

function readSessionEvent(session: StripeObject): EventContent {
  const subscription = session['mode'] === 'subscription' ? stripeIdOf(session['subscription']) : null;
  const invoice = stripeIdOf(session['invoice']);
  const intent = stripeIdOf(session['payment_intent']);
  // A subscription has one checkout session and one first invoice. If the session does not contain the
  // invoice's id, the subscription's id connects the two.
  const refs = toRefs([stripeIdOf(session), invoice, intent, subscription]);
  if (session['mode'] === 'setup') return ignoredContent('setup_mode', refs);
  const status = toText(session['payment_status']);
  const isPaid = status === null || status === 'paid' || session['amount_total'] === 0;
  if (!isPaid) return ignoredContent('payment_pending', refs);
  const sources = [session, ...paymentMetadataSources(session), session['subscription']];
  return paymentContent({
    refs,
    transactionId: toRef(session['mode'] === 'subscription' ? invoice : intent) ?? toRef(stripeIdOf(session)),
    subscriptionId: toRef(subscription),
    isRenewal: false,
    isSummary: invoice !== null || subscription !== null,
    amount: session['amount_total'],
    isDiscounted: isDiscountedToZero(session['amount_subtotal'], session['amount_total']),
    included: readSessionAmounts(session),
    ...readSessionLines(session),
    currency: session['currency'],
    metadata: readMetadata(sources),
  });
}

function readInvoiceEvent(invoice: StripeObject): EventContent {
  const parent = toObject(toObject(invoice['parent'])['subscription_details']);
  const lines = stripeRowsOf(invoice['lines']);
  const subscription =
    stripeIdOf(invoice['subscription']) ??
    stripeIdOf(parent['subscription']) ??
    lines
      .map((line) => stripeIdOf(line['subscription']) ?? subscriptionOfLine(line))
      .find((id) => id !== null) ??
    null;
  const isFirst = invoice['billing_reason'] === 'subscription_create';
  const payments = stripeRowsOf(invoice['payments']).flatMap(refsOfPayment);
  const refs = toRefs([
    stripeIdOf(invoice),
    stripeIdOf(invoice['payment_intent']),
    stripeIdOf(invoice['charge']),
    ...payments,
    isFirst ? subscription : null,
  ]);
  // A partly paid invoice is not recorded until it is fully paid.
  const status = toText(invoice['status']);
  if (status !== null && status !== 'paid') return ignoredContent('payment_pending', refs);
  const sources = [
    invoice,
    invoice['subscription_details'],
    parent,
    invoice['subscription'],
    parent['subscription'],
    ...lines,
    ...paymentMetadataSources(invoice),
  ];
  return paymentContent({
    refs,
    transactionId: toRef(stripeIdOf(invoice)),
    subscriptionId: toRef(subscription),
    isRenewal: subscription !== null && !isFirst && invoice['billing_reason'] !== 'quote_accept',
    isSummary: false,
    amount: invoice['amount_paid'],
    isDiscounted: isDiscountedToZero(invoice['subtotal'], invoice['total']),
    included: readInvoiceAmounts(invoice),
    ...readInvoiceLines(invoice),
    currency: invoice['currency'],
    metadata: readMetadata(sources),
  });
}

function readIntentEvent(intent: StripeObject): EventContent {
  const { latest_charge: charge, invoice, currency } = intent;
  const ids = [stripeIdOf(intent), stripeIdOf(charge), stripeIdOf(invoice)];
  const metadata = readMetadata([intent, charge]);
  // A payment of an invoice is recorded with the event of the invoice.
  if (stripeIdOf(invoice) !== null || !isAttributed(metadata)) return samePaymentContent(ids);
  const amount = intent['amount_received'] ?? intent['amount'];
  return singlePayment(ids, toRef(stripeIdOf(intent)), {
    amount,
    included: readIntentAmounts(intent),
    currency,
    metadata,
  });
}

function readChargeEvent(charge: StripeObject): EventContent {
  const { payment_intent: intent, invoice, currency } = charge;
  const ids = refsOfCharge(charge);
  const metadata = readMetadata([charge, ...paymentMetadataSources(charge)]);
  if (stripeIdOf(invoice) !== null || !isAttributed(metadata)) return samePaymentContent(ids);
  // An uncaptured charge only reserves the amount. When the charge is captured, Stripe sends another event about the
  // payment intent.
  if (charge['captured'] === false) return samePaymentContent(ids);
  const amount = charge['amount_captured'] ?? charge['amount'];
  return singlePayment(ids, toRef(stripeIdOf(intent)) ?? toRef(stripeIdOf(charge)), {
    amount,
    included: readIntentAmounts(toObject(intent)),
    currency,
    metadata,
  });
}

/** @param transactionId must be the same as for the payment's checkout session */
function singlePayment(
  ids: readonly (string | null)[],
  transactionId: string | null,
  fields: Pick<PaymentFields, 'amount' | 'included' | 'currency' | 'metadata'>,
): EventContent {
  const refs = toRefs(ids);
  return paymentContent({
    ...fields,
    refs,
    transactionId,
    subscriptionId: null,
    isRenewal: false,
    isSummary: true,
    lines: [],
    interval: null,
    isDiscounted: false,
  });
}

/**
 * Returns the payment as if its event contained the metadata of another event of the same payment. A product in the
 * payment's own metadata is kept.
 */
export function withMetadata(payment: Payment, metadata: PaymentMetadata): Payment {
  const { taxCents, shippingCents } = payment;
  return {
    ...payment,
    metadata: { ...metadata, productId: payment.metadata.productId ?? metadata.productId },
    ...completeIncluded(payment.amountCents, { taxCents, shippingCents }, metadata),
  };
}

/** Whether the metadata contains a program and a customer. */
export function isAttributed({ programId, clickId, customerKey }: PaymentMetadata): boolean {
  return programId !== undefined && (clickId !== undefined || customerKey !== undefined);
}

/** Whether a discount reduced the amount to 0. During a trial, the amount is 0 even before discounts. */
function isDiscountedToZero(subtotal: unknown, total: unknown): boolean {
  return total === 0 && (toCount(subtotal) ?? 0) > 0;
}

interface PaymentFields
  extends Omit<Payment, 'kind' | 'transactionId' | 'amountCents' | 'taxCents' | 'shippingCents'> {
  readonly transactionId: string | null;
  /** The amount in Stripe's unit of the currency. */
  readonly amount: unknown;
  readonly included: IncludedAmounts;
  /** Whether the amount is 0 because of a 100% discount. */
  readonly isDiscounted: boolean;
}

function paymentContent({
  transactionId,
  amount,
  included,
  isDiscounted,
  ...fields
}: PaymentFields): EventContent {
  if (transactionId === null) return ignoredContent('id_missing', fields.refs);
  const amountCents = toSmallestUnit(amount, fields.currency);
  if (amountCents === 0 && !isDiscounted) return ignoredContent('zero_amount', fields.refs);
  return {
    kind: 'payment',
    ...fields,
    transactionId,
    amountCents,
    ...readIncluded(amountCents, included, fields),
  };
}

function readIncluded(
  amountCents: unknown,
  { tax, shipping }: IncludedAmounts,
  { currency, metadata }: Pick<PaymentFields, 'currency' | 'metadata'>,
): IncludedCents {
  const toCents = (amount: number | null) =>
    amount === null ? null : toCount(toSmallestUnit(amount, currency));
  const included = { taxCents: toCents(tax), shippingCents: toCents(shipping) };
  return completeIncluded(amountCents, included, metadata);
}

/** Takes the tax or shipping from the metadata if the payment itself does not contain it. */
function completeIncluded(
  amountCents: unknown,
  included: IncludedCents,
  metadata: PaymentMetadata,
): IncludedCents {
  const whole = toCount(amountCents) ?? 0;
  const taxCents = atMost(whole, included.taxCents ?? toStatedCents(metadata.taxCents));
  const shippingCents = included.shippingCents ?? toStatedCents(metadata.shippingCents);
  return { taxCents, shippingCents: atMost(whole - (taxCents ?? 0), shippingCents) };
}

function atMost(limit: number, cents: number | null): number | null {
  return cents === null ? null : Math.min(limit, cents);
}

/** Reads an amount from metadata, in which all values are strings. */
function toStatedCents(value: unknown): number | null {
  return typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : null;
}

function samePaymentContent(ids: readonly (string | null)[]): EventContent {
  const refs = toRefs(ids);
  return refs.length > 1 ? { kind: 'same_payment', refs } : ignoredContent('nothing_to_tie', refs);
}

/**
 * Returns the ids in one payment of an invoice: the payment intent, the charge, and the latest charge of the
 * intent.
 */
function refsOfPayment(invoicePayment: StripeObject): (string | null)[] {
  const made = toObject(invoicePayment['payment']);
  const intent = made['payment_intent'];
  return [stripeIdOf(intent), stripeIdOf(made['charge']), stripeIdOf(toObject(intent)['latest_charge'])];
}

function subscriptionOfLine(line: StripeObject): string | null {
  return stripeIdOf(toObject(toObject(line['parent'])['subscription_item_details'])['subscription']);
}
