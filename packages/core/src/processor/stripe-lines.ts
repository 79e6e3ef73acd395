import { cutText, fromStripeUnits, isStorable, MAX_ID_LENGTH } from '@affkit/protocol';
import {
  type StripeObject,
  stripeIdOf,
  stripeItemsOf,
  stripeRowsOf,
  sumStripeAmounts,
  toCount,
  toObject,
  toText,
} from './stripe-json.ts';

export type BillingInterval = 'monthly' | 'quarterly' | 'annual';

/** A line of a payment, in the form in which it is stored in the `line_items` of the sale. */
export interface PaymentLine {
  readonly product_id: string | null;
  readonly price_id: string | null;
  readonly description: string | null;
  readonly quantity: number | null;
  /**
   * The amount after discounts, including tax but not shipping. Like `tax_cents`, it is in the smallest unit
   * by ISO 4217.
   */
  readonly amount_cents: number;
  readonly tax_cents: number;
}

/** The data in the lines of a session or invoice. */
export interface PaymentLines {
  readonly lines: readonly PaymentLine[];
  readonly interval: BillingInterval | null;
}

/**
 * The maximum number of lines that are stored in `line_items`. Stripe sends fewer lines. A list of 100 lines is still
 * within the size limit of `line_items`.
 */
const MAX_LINES = 100;
const MAX_DESCRIPTION_LENGTH = 50;
const DAY_SECONDS = 86_400;

/** Reads the lines of a session. The result is empty if the event does not contain the lines. */
export function readSessionLines(session: StripeObject): PaymentLines {
  const rows = stripeRowsOf(session['line_items']).slice(0, MAX_LINES);
  const lines = rows.map((row) => {
    const price = toObject(row['price']);
    const tax = toCount(row['amount_tax']) ?? 0;
    return toPaymentLine(
      row,
      stripeIdOf(row['price']),
      stripeIdOf(price['product']),
      toInteger(row['amount_total']),
      tax,
    );
  });
  return {
    lines: inUnitsOf(session, lines),
    interval: rows.map(readInterval).find((one) => one !== null) ?? null,
  };
}

export function readInvoiceLines(invoice: StripeObject): PaymentLines {
  const rows = stripeRowsOf(invoice['lines']).slice(0, MAX_LINES);
  const lines = rows.map((row) => {
    // API version 2025-03-31 moved the price to `pricing`.
    const details = toObject(toObject(row['pricing'])['price_details']);
    const price = row['price'] ?? details['price'];
    const product =
      toObject(row['price'])['product'] ?? toObject(row['plan'])['product'] ?? details['product'];
    const { added, all } = readTaxes(row);
    const amount =
      toInteger(row['amount']) -
      sumStripeAmounts(stripeItemsOf(row['discount_amounts'])) -
      readCredit(row) +
      added;
    return toPaymentLine(row, stripeIdOf(price), stripeIdOf(product), amount, all);
  });
  return {
    lines: inUnitsOf(invoice, lines),
    interval: rows.map((row) => readInterval(row) ?? readPeriod(row)).find((one) => one !== null) ?? null,
  };
}

/** @param amount in Stripe's unit; a negative amount is a credit and counts as 0 */
function toPaymentLine(
  row: StripeObject,
  price: string | null,
  product: string | null,
  amount: number,
  tax: number,
): PaymentLine {
  const description = toText(row['description']);
  return {
    product_id: toId(product),
    price_id: toId(price),
    description:
      description !== null && isStorable(description) ? cutText(description, MAX_DESCRIPTION_LENGTH) : null,
    quantity: toCount(row['quantity']),
    amount_cents: Math.max(0, amount),
    tax_cents: tax,
  };
}

function inUnitsOf(object: StripeObject, lines: readonly PaymentLine[]): PaymentLine[] {
  const currency = toText(object['currency']) ?? '';
  return lines.map((line) => ({
    ...line,
    amount_cents: fromStripeUnits(line.amount_cents, currency),
    tax_cents: fromStripeUnits(line.tax_cents, currency),
  }));
}

/**
 * Sums up the taxes of a line: `taxes` since API version 2025-03-31, `tax_amounts` in older versions. `added`
 * excludes taxes that are already part of the price.
 */
function readTaxes(line: StripeObject): { added: number; all: number } {
  const isRecent = Array.isArray(line['taxes']);
  let [added, all] = [0, 0];
  for (const tax of stripeItemsOf(isRecent ? line['taxes'] : line['tax_amounts'])) {
    const amount = toCount(tax['amount']) ?? 0;
    const isIncluded = isRecent ? tax['tax_behavior'] === 'inclusive' : tax['inclusive'] === true;
    all += amount;
    if (!isIncluded) added += amount;
  }
  return { added, all };
}

/** Reads the billing interval from the price of the line. */
function readInterval(row: StripeObject): BillingInterval | null {
  const recurring = toObject(toObject(row['price'])['recurring'] ?? row['plan']);
  const count = toCount(recurring['interval_count']) ?? 1;
  switch (`${count} ${toText(recurring['interval']) ?? ''}`) {
    case '1 month':
      return 'monthly';
    case '3 month':
      return 'quarterly';
    case '12 month':
    case '1 year':
      return 'annual';
    default:
      return null;
  }
}

/**
 * Since API version 2025-03-31, a line contains the paid period of the subscription instead of an interval.
 * Prorations are ignored, because their period is shorter than the interval.
 */
function readPeriod(row: StripeObject): BillingInterval | null {
  const subscriptionItem = toObject(toObject(row['parent'])['subscription_item_details']);
  const { start, end } = toObject(row['period']);
  if (stripeIdOf(subscriptionItem['subscription']) === null || subscriptionItem['proration'] === true)
    return null;
  const days = Math.round(((toCount(end) ?? 0) - (toCount(start) ?? 0)) / DAY_SECONDS);
  if (days >= 28 && days <= 31) return 'monthly';
  if (days >= 89 && days <= 92) return 'quarterly';
  return days === 365 || days === 366 ? 'annual' : null;
}

/** Returns the part of the line that credit grants paid. Discounts in the same field of Stripe are left out. */
function readCredit(line: StripeObject): number {
  const credits = stripeItemsOf(line['pretax_credit_amounts']);
  return sumStripeAmounts(credits.filter(({ type }) => type === 'credit_balance_transaction'));
}

function toInteger(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}

function toId(id: string | null): string | null {
  return id !== null && id.length <= MAX_ID_LENGTH && isStorable(id) ? id : null;
}
