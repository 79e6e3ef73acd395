import { asObject, idOf, type Json, listData, nonEmptyString, nonNegativeInteger } from './json.ts';
import { invoiceLines, type StripeLines, sessionLines } from './lines.ts';

/** A payment or refund, read from a Stripe object of any API version. */
export interface StripePayment extends StripeLines {
  /** The ids of the payment. The first one becomes the `transaction_id` of the sale. */
  readonly refs: readonly string[];
  readonly subscription: string | undefined;
  /** Whether the payment renews the subscription. */
  readonly isRenewal: boolean;
  /** Whether this object reports a completed payment. Always true for a refund. */
  readonly isPaid: boolean;
  readonly amount: unknown;
  /** Tax that is included in the amount. Undefined if the object does not contain it. */
  readonly tax: number | undefined;
  /** Shipping costs before tax, included in the amount. Undefined if the object does not contain them. */
  readonly shipping: number | undefined;
  readonly currency: unknown;
  /** Objects that may carry the tracking metadata, most specific first. */
  readonly metadataSources: readonly unknown[];
}

const NO_LINES: StripeLines = { lines: [], interval: undefined };

/** Reads the payment of an event. Returns undefined for event types that are not handled. */
export function readPayment(event: unknown): StripePayment | undefined {
  const object = asObject(asObject(asObject(event)['data'])['object']);
  switch (asObject(event)['type']) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readSession(object);
    case 'invoice.paid':
    case 'invoice.payment_succeeded':
      return readInvoice(object);
    case 'payment_intent.succeeded':
      return readPaymentIntent(object);
    case 'charge.succeeded':
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

function readSession(session: Json): StripePayment {
  const totals = asObject(session['total_details']);
  const isSubscription = session['mode'] === 'subscription';
  const subscription = isSubscription ? idOf(session['subscription']) : undefined;
  const [invoice, intent] = [idOf(session['invoice']), idOf(session['payment_intent'])];
  return {
    // If the session has no invoice id, the subscription id links it to the first invoice of the
    // subscription.
    refs: idsOf(isSubscription ? invoice : intent, idOf(session), invoice, intent, subscription),
    subscription,
    isRenewal: false,
    // `unpaid`: the money has not arrived yet. `no_payment_required`: nothing is due now.
    isPaid: session['mode'] !== 'setup' && (nonEmptyString(session['payment_status']) ?? 'paid') === 'paid',
    amount: session['amount_total'],
    ...sessionLines(session),
    tax: nonNegativeInteger(totals['amount_tax']),
    shipping: shippingCost(session) ?? nonNegativeInteger(totals['amount_shipping']),
    currency: session['currency'],
    metadataSources: [session, ...expandedPaymentObjects(session), session['subscription']],
  };
}

function readInvoice(invoice: Json): StripePayment {
  // API version 2025-03-31 moved the subscription of an invoice to `parent` and its payments to `payments`.
  const parent = asObject(asObject(invoice['parent'])['subscription_details']);
  const lines = listData(invoice['lines']);
  const subscription =
    idOf(invoice['subscription']) ?? idOf(parent['subscription']) ?? lines.map(subscriptionOf).find(Boolean);
  const payments = listData(invoice['payments']).map(({ payment }) => asObject(payment));
  const isFirst = invoice['billing_reason'] === 'subscription_create';
  return {
    refs: idsOf(
      idOf(invoice),
      idOf(invoice['payment_intent']),
      idOf(invoice['charge']),
      ...payments.flatMap((payment) => [idOf(payment['payment_intent']), idOf(payment['charge'])]),
      isFirst ? subscription : undefined,
    ),
    subscription,
    isRenewal: subscription !== undefined && !isFirst && invoice['billing_reason'] !== 'quote_accept',
    isPaid: (nonEmptyString(invoice['status']) ?? 'paid') === 'paid',
    amount: invoice['amount_paid'],
    ...invoiceLines(invoice),
    tax: paidShare(invoice, invoiceTax(invoice)),
    shipping: paidShare(invoice, shippingCost(invoice)),
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

function readPaymentIntent(intent: Json): StripePayment {
  const charge = intent['latest_charge'];
  return {
    refs: idsOf(idOf(intent), idOf(charge)),
    subscription: undefined,
    isRenewal: false,
    // A payment intent that pays an invoice counts as unpaid, because the invoice's event reports the payment.
    isPaid: idOf(intent['invoice']) === undefined,
    amount: intent['amount_received'] ?? intent['amount'],
    ...NO_LINES,
    ...intentAmounts(intent),
    currency: intent['currency'],
    metadataSources: [intent, charge],
  };
}

function readCharge(charge: Json): StripePayment {
  return {
    refs: idsOf(idOf(charge['invoice']), idOf(charge['payment_intent']), idOf(charge)),
    subscription: undefined,
    isRenewal: false,
    // A charge that pays an invoice counts as unpaid, because the invoice's event reports the payment. An
    // uncaptured charge also counts as unpaid, because it only reserves the amount.
    isPaid: idOf(charge['invoice']) === undefined && charge['captured'] !== false,
    amount: charge['amount_captured'] ?? charge['amount'],
    ...NO_LINES,
    ...intentAmounts(asObject(charge['payment_intent'])),
    currency: charge['currency'],
    metadataSources: [charge, ...expandedPaymentObjects(charge)],
  };
}

function readRefund(refund: Json): StripePayment {
  const charge = asObject(refund['charge']);
  return {
    refs: idsOf(idOf(charge['invoice']), idOf(refund['payment_intent']), idOf(refund['charge'])),
    subscription: undefined,
    isRenewal: false,
    isPaid: true,
    amount: refund['amount'],
    ...NO_LINES,
    tax: undefined,
    shipping: undefined,
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

/** Since API version 2025-09-30, a payment intent may contain its tax and shipping. */
function intentAmounts(intent: Json): Pick<StripePayment, 'tax' | 'shipping'> {
  const details = asObject(intent['amount_details']);
  return {
    tax: nonNegativeInteger(asObject(details['tax'])['total_tax_amount']),
    shipping: nonNegativeInteger(asObject(details['shipping'])['amount']),
  };
}

/**
 * Since API version 2025-03-31, an invoice has `total_taxes`. Before, it had `tax` or `total_tax_amounts`.
 */
function invoiceTax(invoice: Json): number | undefined {
  const taxes = invoice['total_taxes'] ?? invoice['total_tax_amounts'];
  if (!Array.isArray(taxes)) return nonNegativeInteger(invoice['tax']);
  return taxes.reduce((sum, tax) => sum + (nonNegativeInteger(asObject(tax)['amount']) ?? 0), 0);
}

/**
 * The paid part of the tax or shipping of an invoice. If a credit balance pays part of the invoice, it pays the
 * same share of the tax and shipping.
 */
function paidShare(invoice: Json, amount: number | undefined): number | undefined {
  const [paid, total] = [nonNegativeInteger(invoice['amount_paid']), nonNegativeInteger(invoice['total'])];
  if (amount === undefined || paid === undefined || !total || paid >= total) return amount;
  return Number((BigInt(amount) * BigInt(paid) * 2n + BigInt(total)) / (BigInt(total) * 2n));
}

/** The shipping costs without tax: the total minus the tax, because the price itself may or may not include tax. */
function shippingCost(object: Json): number | undefined {
  const cost = asObject(object['shipping_cost']);
  const total = nonNegativeInteger(cost['amount_total']);
  return total === undefined ? undefined : Math.max(0, total - (nonNegativeInteger(cost['amount_tax']) ?? 0));
}
