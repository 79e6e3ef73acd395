import { proportion } from '../domain/money.ts';
import { type StripeObject, stripeRowsOf, sumStripeAmounts, toCount, toObject } from './stripe-json.ts';

/**
 * The tax and shipping in a payment, in Stripe's unit of the currency. An amount is null when the event does not
 * contain it.
 */
export interface IncludedAmounts {
  readonly tax: number | null;
  /** The shipping without its tax. */
  readonly shipping: number | null;
}

export function readSessionAmounts(session: StripeObject): IncludedAmounts {
  const totals = toObject(session['total_details']);
  return {
    tax: toCount(totals['amount_tax']),
    shipping: readShippingCost(session) ?? toCount(totals['amount_shipping']),
  };
}

/**
 * Reads the tax and shipping that belong to the paid part of the invoice. If a credit balance covers a part of the
 * invoice, it covers the same share of the tax, of the shipping, and of the total.
 */
export function readInvoiceAmounts(invoice: StripeObject): IncludedAmounts {
  const [paid, total] = [toCount(invoice['amount_paid']), toCount(invoice['total'])];
  const share = (amount: number | null) =>
    amount === null || paid === null || !total || paid >= total ? amount : proportion(amount, paid, total);
  return { tax: share(readInvoiceTax(invoice)), shipping: share(readShippingCost(invoice)) };
}

/** Reads the tax and shipping of a payment intent. API versions before 2025-09-30 do not contain these amounts. */
export function readIntentAmounts(intent: StripeObject): IncludedAmounts {
  const details = toObject(intent['amount_details']);
  return {
    tax: toCount(toObject(details['tax'])['total_tax_amount']),
    shipping: toCount(toObject(details['shipping'])['amount']),
  };
}

/**
 * Reads the tax: `total_taxes` since API version 2025-03-31, `tax` or `total_tax_amounts` in older versions.
 */
function readInvoiceTax(invoice: StripeObject): number | null {
  for (const name of ['total_taxes', 'total_tax_amounts']) {
    if (Array.isArray(invoice[name])) return sumStripeAmounts(stripeRowsOf({ data: invoice[name] }));
  }
  return toCount(invoice['tax']);
}

/**
 * Returns the total shipping cost minus its tax. The shipping price cannot be used, because it may or may not
 * include tax.
 */
function readShippingCost(object: StripeObject): number | null {
  const cost = toObject(object['shipping_cost']);
  const total = toCount(cost['amount_total']);
  return total === null ? null : Math.max(0, total - (toCount(cost['amount_tax']) ?? 0));
}
