import { asObject, idOf, type Json, listData, nonEmptyString } from './json.ts';

/** A payment or refund, read from a Stripe object of any API version. */
export interface Payment {
  /** The ids of the payment. The first one becomes the `transaction_id` of the sale. */
  readonly refs: readonly string[];
  readonly subscription: string | undefined;
  readonly isPaid: boolean;
  readonly amount: unknown;
  readonly currency: unknown;
  /** Objects that may carry the tracking metadata, most specific first. */
  readonly metadataSources: readonly unknown[];
}

/** Reads the payment of an event. Returns undefined for event types that are not handled. */
export function readPayment(event: unknown): Payment | undefined {
  const object = asObject(asObject(asObject(event)['data'])['object']);
  switch (asObject(event)['type']) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSession(object);
    case 'invoice.paid':
    case 'invoice.payment_succeeded':
      return readInvoice(object);
    case 'charge.refunded':
      return readCharge(object);
    case 'refund.created':
    case 'refund.updated':
    case 'charge.refund.updated':
      return readRefund(object);
    default:
      return undefined;
  }
}

function readSession(session: Json): Payment {
  const isSubscription = session['mode'] === 'subscription';
  const subscription = isSubscription ? idOf(session['subscription']) : undefined;
  const [invoice, intent] = [idOf(session['invoice']), idOf(session['payment_intent'])];
  return {
    // If the session has no invoice id, the subscription id links it to the first invoice of the
    // subscription.
    refs: idsOf(isSubscription ? invoice : intent, idOf(session), invoice, intent, subscription),
    subscription,
    isPaid: session['mode'] !== 'setup' && session['payment_status'] !== 'unpaid',
    amount: session['amount_total'],
    currency: session['currency'],
    metadataSources: [session, ...expandedPaymentObjects(session), session['subscription']],
  };
}

function readInvoice(invoice: Json): Payment {
  // API version 2025-03-31 moved the subscription of an invoice to `parent` and its payments to `payments`.
  const parent = asObject(asObject(invoice['parent'])['subscription_details']);
  const lines = listData(invoice['lines']);
  const subscription =
    idOf(invoice['subscription']) ?? idOf(parent['subscription']) ?? lines.map(subscriptionOf).find(Boolean);
  const payments = listData(invoice['payments']).map(({ payment }) => asObject(payment));
  return {
    refs: idsOf(
      idOf(invoice),
      idOf(invoice['payment_intent']),
      idOf(invoice['charge']),
      ...payments.flatMap((payment) => [idOf(payment['payment_intent']), idOf(payment['charge'])]),
      invoice['billing_reason'] === 'subscription_create' ? subscription : undefined,
    ),
    subscription,
    isPaid: (nonEmptyString(invoice['status']) ?? 'paid') === 'paid',
    amount: invoice['amount_paid'],
    currency: invoice['currency'],
    metadataSources: [
      invoice,
      invoice['subscription_details'],
      parent,
      invoice['subscription'],
      parent['subscription'],
      ...lines,
      ...expandedPaymentObjects(invoice),
    ],
  };
}

function readCharge(charge: Json): Payment {
  return {
    refs: idsOf(idOf(charge['invoice']), idOf(charge['payment_intent']), idOf(charge)),
    subscription: undefined,
    isPaid: true,
    amount: charge['amount_refunded'],
    currency: charge['currency'],
    metadataSources: [charge, ...expandedPaymentObjects(charge)],
  };
}

/** A refund that failed, or that waits for the customer, moved no money. */
function readRefund(refund: Json): Payment {
  const charge = asObject(refund['charge']);
  return {
    refs: idsOf(idOf(charge['invoice']), idOf(refund['payment_intent']), idOf(refund['charge'])),
    subscription: undefined,
    isPaid: ['succeeded', 'pending'].includes(nonEmptyString(refund['status']) ?? 'succeeded'),
    amount: refund['amount'],
    currency: refund['currency'],
    metadataSources: [refund, charge, ...expandedPaymentObjects(refund)],
  };
}

function subscriptionOf(line: Json): string | undefined {
  const details = asObject(asObject(line['parent'])['subscription_item_details']);
  return idOf(line['subscription']) ?? idOf(details['subscription']);
}

/** The payment intent and the charge, which carry metadata if they were expanded. */
function expandedPaymentObjects(object: Json): unknown[] {
  const intent = object['payment_intent'];
  return [intent, object['charge'], asObject(intent)['latest_charge']];
}

function idsOf(...ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id !== undefined))];
}
