import type { SoldProduct } from './stripe-shape.ts';

// Converts objects of the current API version to their shape before 2025-03-31 (Basil).

interface CurrentLine {
  readonly parent: { readonly subscription_item_details: { readonly subscription_item: string } };
}

interface CurrentInvoice {
  readonly lines: { readonly data: readonly CurrentLine[] };
  readonly parent: {
    readonly subscription_details: { readonly metadata: object; readonly subscription: string };
  };
}

/** Returns an invoice that was paid by the charge `ch_<name>`. */
export function invoiceBeforeBasil<T extends CurrentInvoice>(current: T, name: string) {
  const { parent, ...invoice } = current;
  const { metadata, subscription } = parent.subscription_details;
  return {
    ...invoice,
    charge: `ch_${name}`,
    lines: { ...current.lines, data: current.lines.data.map(lineBeforeBasil) },
    paid: true,
    payment_intent: `pi_${name}`,
    subscription,
    subscription_details: { metadata },
  };
}

/** Returns the lines of an invoice, one for each product. */
export function linesBeforeBasil<
  T extends CurrentLine & { readonly pricing: object; readonly taxes: readonly { amount: number }[] },
>(lines: readonly T[], products: readonly SoldProduct[]) {
  return products.flatMap(({ name, interval = 'month' }, index) =>
    lines.slice(index, index + 1).map(({ pricing: _pricing, taxes, ...line }) => ({
      ...lineBeforeBasil(line),
      price: {
        id: `price_${name}`,
        product: `prod_${name}`,
        recurring: { interval, interval_count: 1 },
      },
      tax_amounts: taxes.map(({ amount }) => ({ amount, inclusive: false })),
    })),
  );
}

function lineBeforeBasil<T extends CurrentLine>({ parent, ...line }: T) {
  const { subscription_item } = parent.subscription_item_details;
  return { ...line, subscription_item, type: 'subscription' };
}
