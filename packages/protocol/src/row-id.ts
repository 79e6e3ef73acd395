/** At most 15 digits, so that every id is a safe integer in JavaScript. */
const ROW_ID = /^[1-9]\d{0,14}$/;

/** @returns the row id, or null when the text is not a positive integer of at most 15 digits */
export function parseRowId(text: string): number | null {
  return ROW_ID.test(text) ? Number(text) : null;
}
