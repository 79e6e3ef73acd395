/** A JSON object whose fields are not validated. */
export type Json = Readonly<Record<string, unknown>>;

/** The value if it is an object, otherwise an empty object. */
export function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function nonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function nonNegativeInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The id of an expandable field: Stripe sends the id, or the whole object if it was expanded. */
export function idOf(value: unknown): string | undefined {
  return nonEmptyString(value) ?? nonEmptyString(asObject(value)['id']);
}

/** The items of a Stripe list object, `{ data: […] }`. */
export function listData(value: unknown): Json[] {
  const rows = asObject(value)['data'];
  return Array.isArray(rows) ? rows.map(asObject) : [];
}
