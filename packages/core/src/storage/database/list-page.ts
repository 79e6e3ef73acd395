/**
 * The maximum number of rows in a search result, and in the list of a table that grows with each visit. Counting all
 * rows of such a table would become slower over time.
 */
export const MAX_LISTED = 1_000;

/** The number of matching rows, up to `MAX_LISTED`, and whether more rows match. */
export interface ListTotal {
  readonly rows: number;
  readonly isCapped: boolean;
}

/** @param matches the number of matching rows, counted up to `MAX_LISTED + 1` */
export function capTotal(matches: number): ListTotal {
  return { rows: Math.min(matches, MAX_LISTED), isCapped: matches > MAX_LISTED };
}

export type Page = { readonly offset: number; readonly limit: number };

/** Limits a page to the first `MAX_LISTED` rows. */
export function capPage({ offset, limit }: Page): Page {
  return { offset, limit: Math.max(0, Math.min(limit, MAX_LISTED - offset)) };
}

/**
 * Reads a page and the total number of rows in one statement.
 * @param readRows runs a query with the column `count(*) OVER () AS total`
 * @returns the rows of the page, and `counted`: a row from which to read the total, or null if the list is empty
 */
export async function readCountedPage<Row extends { readonly total: number }>(
  readRows: (page: Page) => Promise<readonly Row[]>,
  page: Page,
): Promise<{ rows: readonly Row[]; counted: Row | null }> {
  const rows = await readRows(page);
  // A page after the last page has no rows, so it does not contain the total.
  const isAfterLast = rows.length === 0 && (page.offset > 0 || page.limit === 0);
  const [counted = null] = isAfterLast ? await readRows({ offset: 0, limit: 1 }) : rows;
  return { rows, counted };
}
