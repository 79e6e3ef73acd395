import type Stripe from 'stripe';
import { linesBeforeBasil } from './stripe-before-basil.ts';
import { type ApiVersion, CREATED, type Shape, type SoldProduct } from './stripe-shape.ts';

/** Returns the line items of a checkout session. Stripe includes them only if a request expands them. */
export function sessionLines(products: readonly SoldProduct[]) {
  const data = products.map(({ name, amount, tax = 0, interval }) => ({
    id: `li_${name}`,
    object: 'item' as const,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: tax,
    amount_total: amount + tax,
    currency: 'usd',
    description: `The ${name}`,
    price: {
      id: `price_${name}`,
      object: 'price' as const,
      product: `prod_${name}`,
      recurring: interval ? { interval, interval_count: 1 } : null,
    },
    quantity: 1,
  })) satisfies readonly Shape<Stripe.LineItem>[];
  return { object: 'list' as const, data, has_more: false };
}

/** Returns the lines of an invoice of the subscription `sub_<sub>`. */
export function invoiceLines(version: ApiVersion, sub: string, products: readonly SoldProduct[]) {
  const data = products.map(({ name, amount, tax = 0, interval = 'month' }) => ({
    id: `il_${name}`,
    object: 'line_item' as const,
    // A discount of 1.00, so that the list price differs from what was paid.
    amount: amount + 100,
    currency: 'usd',
    description: `The ${name}`,
    discount_amounts: [{ amount: 100, discount: 'di_1' }],
    metadata: {},
    parent: subscriptionItem(sub),
    period: { start: CREATED, end: CREATED + (interval === 'month' ? 30 : 365) * 86_400 },
    pretax_credit_amounts: [{ amount: 100, discount: 'di_1', type: 'discount' as const }],
    pricing: {
      type: 'price_details' as const,
      price_details: { price: `price_${name}`, product: `prod_${name}` },
      unit_amount_decimal: String(amount + 100),
    },
    quantity: 1,
    subscription: `sub_${sub}`,
    subtotal: amount + 100,
    taxes: [
      {
        amount: tax,
        tax_behavior: 'exclusive' as const,
        tax_rate_details: { tax_rate: 'txr_1' },
        taxability_reason: 'standard_rated' as const,
        taxable_amount: amount,
        type: 'tax_rate_details' as const,
      },
    ],
  })) satisfies readonly Shape<Stripe.InvoiceLineItem>[];
  const lines = { object: 'list' as const, data, has_more: false };
  return version === 'current' ? lines : { ...lines, data: linesBeforeBasil(data, products) };
}

/** Returns the field `parent` of an invoice line for the subscription `sub_<sub>`. */
export function subscriptionItem(sub: string) {
  return {
    type: 'subscription_item_details',
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: null,
      proration: false,
      proration_details: null,
      subscription: `sub_${sub}`,
      subscription_item: `si_${sub}`,
    },
  } as const satisfies Shape<Stripe.InvoiceLineItem.Parent>;
}
