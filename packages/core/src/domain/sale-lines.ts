import { type CommissionBase, computeBase } from './commission-base.ts';
import type { WeightedProduct } from './commission-parts.ts';

export interface SaleLine {
  readonly productId: string | null;
  /** The amount after discounts, including tax but not shipping. */
  readonly amountCents: number;
  readonly taxCents: number;
}

/**
 * Reads the lines of a sale from its `line_items`, which may contain anything. `line_items` must be a list of
 * lines, or an object with the list in `data`. A line is an object with `amount_cents` and optionally
 * `product_id` and `tax_cents`.
 * @returns an empty list when the items have any other form
 */
export function readSaleLines(lineItems: unknown): SaleLine[] {
  const items = Array.isArray(lineItems) ? lineItems : toFields(lineItems)['data'];
  if (!Array.isArray(items)) return [];
  const lines = items.map(readLine);
  return lines.every((line) => line !== null) ? lines : [];
}

/**
 * Whether the lines are from an event of the payment processor. Only in such an event does every line have a
 * `price_id`. Either a webhook or `toTrackCall` of the Node SDK has read the lines from the event.
 */
export function areProcessorLines(lineItems: unknown): boolean {
  const { data } = toFields(lineItems);
  return Array.isArray(data) && data.length > 0 && data.every((line) => 'price_id' in toFields(line));
}

function readLine(item: unknown): SaleLine | null {
  const { product_id: productId = null, amount_cents: amountCents, tax_cents: taxCents = 0 } = toFields(item);
  if (productId !== null && typeof productId !== 'string') return null;
  if (!isAmount(amountCents) || !isAmount(taxCents ?? 0)) return null;
  return { productId, amountCents, taxCents: Number(taxCents ?? 0) };
}

/**
 * Returns the product of each line. Its weight is the part of the line that a commission is computed from, or zero if the
 * tax exceeds the amount.
 */
export function weighLines(base: CommissionBase, lines: readonly SaleLine[]): WeightedProduct[] {
  return lines.map(({ productId, amountCents, taxCents }) => ({
    productId,
    weight: Math.max(0, computeBase(base, { amountCents, taxCents, shippingCents: 0 })),
  }));
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
