type Json = Readonly<Record<string, unknown>>;

/** Reads of JSON that may be anything: what is not as it should be is absent. */
export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function toText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A whole number that is exact, and not negative. */
export function toCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** The id of an object that the processor names, or shows in full where it was expanded. */
export function idOf(value: unknown): string | null {
  return toText(value) ?? toText(toObject(value)['id']);
}

/** The objects of a list, as the processor wraps it. */
export function rowsOf(value: unknown): Json[] {
  const rows = toObject(value)['data'];
  return Array.isArray(rows) ? rows.map(toObject) : [];
}
