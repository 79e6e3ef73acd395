import type { ListReply } from './types.ts';

/**
 * Reads all pages of a list after the first one, in parallel.
 * @returns the reply of the first page, with the rows of all pages
 */
export async function readFurtherPages<Row extends { readonly id: number }>(
  first: ListReply<Row>,
  read: (page: number) => Promise<ListReply<Row>>,
): Promise<ListReply<Row>> {
  const further = Array.from({ length: first.meta.pagination.pageCount - 1 }, (_, index) => read(index + 2));
  const rows = [first, ...(await Promise.all(further))].flatMap(({ data }) => data);
  // If a row is added meanwhile, the last row of a page is also the first row of the next page. Keep it once.
  return { ...first, data: [...new Map(rows.map((row) => [row.id, row])).values()] };
}
