export type Json = Readonly<Record<string, unknown>>;

/** Reads of JSON that may be anything: what is not as it should be is absent. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The id of an object that Stripe names, or shows in full where it was expanded. */
export function idOf(value: unknown): string | undefined {
  return textOf(value) ?? textOf(objectOf(value)['id']);
}

/** The objects of a list, as Stripe wraps it. */
export function rowsOf(value: unknown): Json[] {
  const rows = objectOf(value)['data'];
  return Array.isArray(rows) ? rows.map(objectOf) : [];
}
