/**
 * The maximum number of rows in a search, and in a list of a table that grows with each visit. Counting all
 * rows would take too long, and longer with each event.
 */
export const MAX_LISTED = 1_000;

/** The number of rows that can be listed, and whether more rows match. */
export interface ListTotal {
  readonly rows: number;
  readonly isCapped: boolean;
}

/** @param matches the number of matching rows, counted up to `MAX_LISTED + 1` */
export function capTotal(matches: number): ListTotal {
  return { rows: Math.min(matches, MAX_LISTED), isCapped: matches > MAX_LISTED };
}

/** Limits a page to the rows that can be listed. */
export function capPage({ offset, limit }: { readonly offset: number; readonly limit: number }): {
  readonly offset: number;
  readonly limit: number;
} {
  return { offset, limit: Math.max(0, Math.min(limit, MAX_LISTED - offset)) };
}
