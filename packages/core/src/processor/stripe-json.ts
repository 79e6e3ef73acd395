/** The fields of a JSON object that was not validated. */
export type StripeObject = Readonly<Record<string, unknown>>;

// The JSON is untrusted. These functions treat a value of the wrong type like a missing value.

/** @returns an empty object when the value is not an object */
export function toObject(value: unknown): StripeObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as StripeObject) : {};
}

/** @returns null when the value is not a string or is empty */
export function toText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** @returns null when the value is not a safe integer of 0 or more */
export function toCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/**
 * Returns the id of a referenced object. Stripe sends either the id or, if it was expanded, the whole object.
 */
export function stripeIdOf(value: unknown): string | null {
  return toText(value) ?? toText(toObject(value)['id']);
}

/** Returns the rows of a Stripe list object (`{ data: […] }`). */
export function stripeRowsOf(value: unknown): StripeObject[] {
  return stripeItemsOf(toObject(value)['data']);
}

export function stripeItemsOf(value: unknown): StripeObject[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

/** Adds up the `amount` of each row. */
export function sumStripeAmounts(rows: readonly StripeObject[]): number {
  return rows.reduce((sum, row) => sum + (toCount(row['amount']) ?? 0), 0);
}
