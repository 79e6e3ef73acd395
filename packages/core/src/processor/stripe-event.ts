import { cutText, fromStripeUnits, isStorable, MAX_ID_LENGTH, METADATA_KEYS } from '@affkit/protocol';
import type { DisputeState } from '../domain/dispute.ts';
import { idOf, itemsOf, rowsOf, toCount, toObject, toText } from './stripe-json.ts';

type Json = Readonly<Record<string, unknown>>;

/** The metadata that the advertiser attached to a payment, not validated. */
interface PaymentMetadata {
  readonly programId: unknown;
  readonly clickId: unknown;
  readonly customerKey: unknown;
}

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
  | {
      readonly kind: 'refund';
      readonly refs: readonly string[];
      readonly charge: string;
      /** Total of all refunds of the charge so far, in the smallest unit by ISO 4217. */
      readonly refundedCents: number;
      /** Whether the whole charge is refunded. */
      readonly isWhole: boolean;
      readonly currency: string;
      readonly reason: string | null;
      readonly metadata: PaymentMetadata;
    }
  | {
      readonly kind: 'dispute';
      readonly refs: readonly string[];
      readonly dispute: string;
      readonly charge: string;
      readonly state: DisputeState;
      /** In the smallest unit by ISO 4217. */
      readonly amountCents: number;
      readonly currency: string;
      readonly reason: string | null;
      readonly metadata: PaymentMetadata;
    }
  | { readonly kind: 'ignored'; readonly reason: string; readonly refs: readonly string[] }
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
      return readRefund(object);
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

function readRefund(charge: Json): EventContent {
  const refs = toRefs(refsOfCharge(charge));
  const id = toRef(idOf(charge));
  const currency = toText(charge['currency']);
  const refundedCents = toCount(toSmallestUnit(readRefundedAmount(charge), currency));
  if (id === null || refundedCents === null || currency === null) return ignore('charge_incomplete', refs);
  const [latest] = rowsOf(charge['refunds']);
  const reason = toText(latest?.['reason']);
  return {
    kind: 'refund',
    refs,
    charge: id,
    refundedCents,
    isWhole: charge['refunded'] === true,
    currency: currency.slice(0, 3).toUpperCase(),
    reason: toReason(reason),
    metadata: readMetadata([charge, ...paymentMetadataSources(charge)]),
  };
}

/**
 * Excludes the amount that was authorized but never captured. Stripe counts it as refunded, although it was
 * never paid.
 */
function readRefundedAmount(charge: Json): unknown {
  const refunded = charge['amount_refunded'];
  const [total, authorized, captured] = [
    toCount(refunded),
    toCount(charge['amount']),
    toCount(charge['amount_captured']),
  ];
  if (total === null || authorized === null || captured === null || captured >= authorized) return refunded;
  return charge['refunded'] === true ? captured : Math.max(0, total - (authorized - captured));
}

function readDispute(dispute: Json, isReinstatement: boolean): EventContent {
  const [id, charge] = [toRef(idOf(dispute)), toRef(idOf(dispute['charge']))];
  const refs = toRefs([
    ...refsOfCharge(toObject(dispute['charge'])),
    charge,
    idOf(dispute['payment_intent']),
  ]);
  const currency = toText(dispute['currency']);
  const amountCents = toCount(toSmallestUnit(dispute['amount'], currency));
  if (id === null || charge === null || amountCents === null || currency === null)
    return ignore('dispute_incomplete', refs);
  return {
    kind: 'dispute',
    refs,
    dispute: id,
    charge,
    state: readDisputeState(dispute, isReinstatement),
    amountCents,
    currency: currency.slice(0, 3).toUpperCase(),
    reason: toReason(toText(dispute['reason'])),
    metadata: readMetadata([dispute, dispute['charge'], ...paymentMetadataSources(dispute)]),
  };
}

/** An inquiry (`warning_closed`) and a prevented dispute end without a withdrawal. */
const WON_STATUSES: readonly unknown[] = ['won', 'warning_closed', 'prevented', 'charge_refunded'];

function readDisputeState(dispute: Json, isReinstatement: boolean): DisputeState {
  const status = dispute['status'];
  if (WON_STATUSES.includes(status)) return 'won';
  // A reinstatement may return only a part, for example of a charge that was refunded before.
  const withdrawn = itemsOf(dispute['balance_transactions']).map(({ amount }) => Number(amount) || 0);
  const isReturned = isReinstatement && withdrawn.reduce((sum, amount) => sum + amount, 0) >= 0;
  if (status === 'lost') return isReturned ? 'won' : 'lost';
  return isReturned ? 'reinstated' : 'open';
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

/** Returns an invalid amount unchanged, so that validation rejects it later. */
function toSmallestUnit(amount: unknown, currency: unknown): unknown {
  const isConvertible = Number.isSafeInteger(amount) && typeof currency === 'string';
  return isConvertible ? fromStripeUnits(Number(amount), currency) : amount;
}

function tie(ids: readonly (string | null)[]): EventContent {
  const refs = toRefs(ids);
  return refs.length > 1 ? { kind: 'tie', refs } : ignore('nothing_to_tie', refs);
}

function ignore(reason: string, refs: readonly string[] = []): EventContent {
  return { kind: 'ignored', reason, refs };
}

/** The ids in one entry of an invoice's payments: payment intent, charge, and the intent's latest charge. */
function refsOfPayment(invoicePayment: Json): (string | null)[] {
  const made = toObject(invoicePayment['payment']);
  const intent = made['payment_intent'];
  return [idOf(intent), idOf(made['charge']), idOf(toObject(intent)['latest_charge'])];
}

function refsOfCharge(charge: Json): (string | null)[] {
  return [idOf(charge), idOf(charge['payment_intent']), idOf(charge['invoice'])];
}

function subscriptionOfLine(line: Json): string | null {
  return idOf(toObject(toObject(line['parent'])['subscription_item_details'])['subscription']);
}

/** The other objects of the payment, whose metadata the event contains only if Stripe expanded them. */
function paymentMetadataSources(object: Json): unknown[] {
  const intent = object['payment_intent'];
  return [intent, object['charge'], toObject(intent)['latest_charge']];
}

/** Takes each key from the first source whose `metadata` has it. */
function readMetadata(sources: readonly unknown[]): PaymentMetadata {
  const all = sources.map((source) => toObject(toObject(source)['metadata']));
  const find = (key: string) => all.map((one) => one[key]).find((value) => value != null && value !== '');
  return {
    programId: find(METADATA_KEYS.programId),
    clickId: find(METADATA_KEYS.clickId),
    customerKey: find(METADATA_KEYS.customerKey),
  };
}

function toRefs(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.map(toRef).filter((id) => id !== null))];
}

function toReason(reason: string | null): string | null {
  return reason !== null && isStorable(reason) ? cutText(reason, MAX_ID_LENGTH) : null;
}

/** @returns null when the value is not an id that can be stored */
function toRef(id: unknown): string | null {
  const text = toText(id);
  return text !== null && text.length <= MAX_ID_LENGTH && isStorable(text) ? text : null;
}
