import { asObject, idOf, type Json, listData, nonEmptyString, nonNegativeInteger } from './json.ts';

type Interval = 'monthly' | 'quarterly' | 'annual';

/** A line of a payment. Amounts are in Stripe's unit of the currency. */
interface StripeLine {
  readonly productId: string | undefined;
  readonly priceId: string | undefined;
  readonly description: string | undefined;
  readonly quantity: number | undefined;
  /** After discounts, with tax, without shipping. */
  readonly amount: number;
  readonly tax: number;
}

/** The lines of a session or invoice, and their billing interval. */
export interface StripeLines {
  readonly lines: readonly StripeLine[];
  readonly interval: Interval | undefined;
}

const MAX_LINES = 100;
const MAX_DESCRIPTION_LENGTH = 50;

/** Reads the lines of a session. Stripe includes them only if you expanded them. */
export function sessionLines(session: Json): StripeLines {
  const rows = listData(session['line_items']).slice(0, MAX_LINES);
  return {
    lines: rows.map((row) => {
      const tax = nonNegativeInteger(row['amount_tax']) ?? 0;
      return toStripeLine(
        row,
        row['price'],
        asObject(row['price'])['product'],
        integer(row['amount_total']),
        tax,
      );
    }),
    interval: rows.map(priceInterval).find(Boolean),
  };
}

export function invoiceLines(invoice: Json): StripeLines {
  const rows = listData(invoice['lines']).slice(0, MAX_LINES);
  return {
    lines: rows.map((row) => {
      // API version 2025-03-31 moved the price to `pricing`.
      const details = asObject(asObject(row['pricing'])['price_details']);
      const product =
        asObject(row['price'])['product'] ?? asObject(row['plan'])['product'] ?? details['product'];
      const taxes = listData({ data: row['taxes'] ?? row['tax_amounts'] });
      // Inclusive taxes are already part of the amount.
      const added = taxes.filter((tax) => tax['tax_behavior'] !== 'inclusive' && tax['inclusive'] !== true);
      const discounts = listData({ data: row['discount_amounts'] });
      // The part of the line that was paid with billing credits. The same field also lists discounts.
      const credits = listData({ data: row['pretax_credit_amounts'] }).filter(
        ({ type }) => type === 'credit_balance_transaction',
      );
      const amount = integer(row['amount']) - sum(discounts) - sum(credits) + sum(added);
      return toStripeLine(row, row['price'] ?? details['price'], product, amount, sum(taxes));
    }),
    interval: rows.map((row) => priceInterval(row) ?? periodInterval(row)).find(Boolean),
  };
}

function toStripeLine(row: Json, price: unknown, product: unknown, amount: number, tax: number): StripeLine {
  return {
    productId: idOf(product),
    priceId: idOf(price),
    description: nonEmptyString(row['description'])?.slice(0, MAX_DESCRIPTION_LENGTH),
    quantity: nonNegativeInteger(row['quantity']),
    // A line that credits the customer has a negative amount, which counts as 0.
    amount: Math.max(0, amount),
    tax,
  };
}

function priceInterval(row: Json): Interval | undefined {
  const recurring = asObject(asObject(row['price'])['recurring'] ?? row['plan']);
  const count = nonNegativeInteger(recurring['interval_count']) ?? 1;
  const months =
    recurring['interval'] === 'year' ? count * 12 : recurring['interval'] === 'month' ? count : 0;
  return ({ 1: 'monthly', 3: 'quarterly', 12: 'annual' } as const)[months];
}

/**
 * Since API version 2025-03-31, a line has no interval, only the start and end of the period that it pays
 * for.
 */
function periodInterval(row: Json): Interval | undefined {
  const subscriptionItem = asObject(asObject(row['parent'])['subscription_item_details']);
  const { start, end } = asObject(row['period']);
  if (idOf(subscriptionItem['subscription']) === undefined || subscriptionItem['proration'] === true)
    return undefined;
  const days = Math.round((integer(end) - integer(start)) / 86_400);
  if (days >= 28 && days <= 31) return 'monthly';
  if (days >= 89 && days <= 92) return 'quarterly';
  return days === 365 || days === 366 ? 'annual' : undefined;
}

function sum(rows: readonly Json[]): number {
  return rows.reduce((total, row) => total + (nonNegativeInteger(row['amount']) ?? 0), 0);
}

function integer(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}
