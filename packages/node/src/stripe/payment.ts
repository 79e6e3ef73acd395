import { idOf, type Json, objectOf, rowsOf, textOf } from './json.ts';

/** A payment or a refund as one of Stripe's objects tells it, in the form of any API version. */
export interface Payment {
  /** The ids of the payment; the first is the one that the sale is recorded under. */
  readonly refs: readonly string[];
  readonly subscription: string | undefined;
  readonly isPaid: boolean;
  readonly amount: unknown;
  readonly currency: unknown;
  /** What may carry the metadata, the nearest first. */
  readonly places: readonly unknown[];
}

/** The payment that an event is about, where it is one that is looked at. */
export function paymentOf(event: unknown): Payment | undefined {
  const object = objectOf(objectOf(objectOf(event)['data'])['object']);
  switch (objectOf(event)['type']) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSession(object);
    case 'invoice.paid':
    case 'invoice.payment_succeeded':
      return readInvoice(object);
    case 'charge.refunded':
      return readCharge(object);
    default:
      return undefined;
  }
}

function readSession(session: Json): Payment {
  const isSubscription = session['mode'] === 'subscription';
  const subscription = isSubscription ? idOf(session['subscription']) : undefined;
  const [invoice, intent] = [idOf(session['invoice']), idOf(session['payment_intent'])];
  return {
    // A subscription has one checkout and one first invoice: its id ties them where the session names no invoice.
    refs: idsOf(isSubscription ? invoice : intent, idOf(session), invoice, intent, subscription),
    subscription,
    isPaid: session['mode'] !== 'setup' && session['payment_status'] !== 'unpaid',
    amount: session['amount_total'],
    currency: session['currency'],
    places: [session, ...placesOfPayment(session), session['subscription']],
  };
}

function readInvoice(invoice: Json): Payment {
  // Until 2025-03-31 the invoice named its subscription and its payment; since then its parent and its payments do.
  const parent = objectOf(objectOf(invoice['parent'])['subscription_details']);
  const lines = rowsOf(invoice['lines']);
  const subscription =
    idOf(invoice['subscription']) ?? idOf(parent['subscription']) ?? lines.map(subscriptionOf).find(Boolean);
  const payments = rowsOf(invoice['payments']).map(({ payment }) => objectOf(payment));
  return {
    refs: idsOf(
      idOf(invoice),
      idOf(invoice['payment_intent']),
      idOf(invoice['charge']),
      ...payments.flatMap((payment) => [idOf(payment['payment_intent']), idOf(payment['charge'])]),
      invoice['billing_reason'] === 'subscription_create' ? subscription : undefined,
    ),
    subscription,
    isPaid: (textOf(invoice['status']) ?? 'paid') === 'paid',
    amount: invoice['amount_paid'],
    currency: invoice['currency'],
    places: [
      invoice,
      invoice['subscription_details'],
      parent,
      invoice['subscription'],
      parent['subscription'],
      ...lines,
      ...placesOfPayment(invoice),
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
    places: [charge, ...placesOfPayment(charge)],
  };
}

function subscriptionOf(line: Json): string | undefined {
  const details = objectOf(objectOf(line['parent'])['subscription_item_details']);
  return idOf(line['subscription']) ?? idOf(details['subscription']);
}

/** Where the payment itself carries metadata, if it was expanded. */
function placesOfPayment(object: Json): unknown[] {
  const intent = object['payment_intent'];
  return [intent, object['charge'], objectOf(intent)['latest_charge']];
}

function idsOf(...ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id !== undefined))];
}
