import { type DisputeContent, readDispute } from './stripe-dispute.ts';
import {
  type IgnoredContent,
  ignore,
  type PaymentMetadata,
  paymentMetadataSources,
  readMetadata,
  refsOfCharge,
  toRef,
  toRefs,
  toSmallestUnit,
} from './stripe-fields.ts';
import { idOf, rowsOf, toCount, toObject, toText } from './stripe-json.ts';
import { type RefundContent, readCreditNote, readRefund, readRefundedCharge } from './stripe-refund.ts';

type Json = Readonly<Record<string, unknown>>;

/** The content of an event, independent of Stripe's API. `refs` are all ids of the payment in the event. */
export type EventContent =
  | {
      readonly kind: 'payment';
      readonly refs: readonly string[];
      readonly transactionId: string;
      readonly subscriptionId: string | null;
      /** In the smallest unit by ISO 4217; not validated. */
      readonly amountCents: unknown;
      readonly currency: unknown;
      readonly metadata: PaymentMetadata;
    }
  /** Shows that several ids belong to the same payment. */
  | { readonly kind: 'tie'; readonly refs: readonly string[] }
  | RefundContent
  | DisputeContent
  | IgnoredContent
  /** The event type is not handled. */
  | { readonly kind: 'unsupported' };

export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  /** Epoch milliseconds; null when the event has no valid time. */
  readonly at: number | null;
  readonly content: EventContent;
}

/** The latest time that a `Date` can represent, in seconds. */
const MAX_SECONDS = 8_640_000_000_000;

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
    at: seconds !== null && seconds <= MAX_SECONDS ? seconds * 1000 : null,
    content: readContent(type, toObject(toObject(event['data'])['object'])),
  };
}

function readContent(type: string, object: Json): EventContent {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSession(object);
    case 'checkout.session.async_payment_failed':
      return ignore('payment_failed');
    case 'invoice.paid':
    case 'invoice.payment_succeeded':
      return readInvoice(object);
    case 'invoice_payment.paid':
      return tie([idOf(object['invoice']), ...refsOfPayment(object)]);
    case 'charge.succeeded':
      return tie(refsOfCharge(object));
    case 'payment_intent.succeeded':
      return tie([idOf(object), idOf(object['latest_charge']), idOf(object['invoice'])]);
    case 'charge.refunded':
      return readRefundedCharge(object);
    case 'refund.created':
    case 'refund.updated':
    case 'charge.refund.updated':
      return readRefund(object, false);
    case 'refund.failed':
      return readRefund(object, true);
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

function readSession(session: Json): EventContent {
  const subscription = session['mode'] === 'subscription' ? idOf(session['subscription']) : null;
  const invoice = idOf(session['invoice']);
  const intent = idOf(session['payment_intent']);
  // A subscription has one checkout and one first invoice. If the session names no invoice, the subscription
  // id ties the two together.
  const refs = toRefs([idOf(session), invoice, intent, subscription]);
  if (session['mode'] === 'setup') return ignore('setup_mode', refs);
  const status = toText(session['payment_status']);
  const isPaid = status === null || status === 'paid' || session['amount_total'] === 0;
  if (!isPaid) return ignore('payment_pending', refs);
  const transactionId = toRef(session['mode'] === 'subscription' ? invoice : intent) ?? toRef(idOf(session));
  return payment(refs, transactionId, subscription, session['amount_total'], session['currency'], [
    session,
    ...paymentMetadataSources(session),
    session['subscription'],
  ]);
}

function readInvoice(invoice: Json): EventContent {
  const parent = toObject(toObject(invoice['parent'])['subscription_details']);
  const lines = rowsOf(invoice['lines']);
  const subscription =
    idOf(invoice['subscription']) ??
    idOf(parent['subscription']) ??
    lines.map((line) => idOf(line['subscription']) ?? subscriptionOfLine(line)).find((id) => id !== null) ??
    null;
  const isFirst = invoice['billing_reason'] === 'subscription_create';
  const payments = rowsOf(invoice['payments']).flatMap(refsOfPayment);
  const refs = toRefs([
    idOf(invoice),
    idOf(invoice['payment_intent']),
    idOf(invoice['charge']),
    ...payments,
    isFirst ? subscription : null,
  ]);
  // The invoice is only partly paid. Its amount is recorded by the event of the full payment.
  const status = toText(invoice['status']);
  if (status !== null && status !== 'paid') return ignore('payment_pending', refs);
  return payment(refs, toRef(idOf(invoice)), subscription, invoice['amount_paid'], invoice['currency'], [
    invoice,
    invoice['subscription_details'],
    parent,
    invoice['subscription'],
    parent['subscription'],
    ...lines,
    ...paymentMetadataSources(invoice),
  ]);
}

function payment(
  refs: readonly string[],
  transactionId: string | null,
  subscription: string | null,
  amount: unknown,
  currency: unknown,
  metadataSources: readonly unknown[],
): EventContent {
  if (transactionId === null) return ignore('id_missing', refs);
  const amountCents = toSmallestUnit(amount, currency);
  if (amountCents === 0) return ignore('zero_amount', refs);
  const subscriptionId = toRef(subscription);
  const metadata = readMetadata(metadataSources);
  return { kind: 'payment', refs, transactionId, subscriptionId, amountCents, currency, metadata };
}

function tie(ids: readonly (string | null)[]): EventContent {
  const refs = toRefs(ids);
  return refs.length > 1 ? { kind: 'tie', refs } : ignore('nothing_to_tie', refs);
}

/** The ids in one entry of an invoice's payments: payment intent, charge, and the intent's latest charge. */
function refsOfPayment(invoicePayment: Json): (string | null)[] {
  const made = toObject(invoicePayment['payment']);
  const intent = made['payment_intent'];
  return [idOf(intent), idOf(made['charge']), idOf(toObject(intent)['latest_charge'])];
}

function subscriptionOfLine(line: Json): string | null {
  return idOf(toObject(toObject(line['parent'])['subscription_item_details'])['subscription']);
}
