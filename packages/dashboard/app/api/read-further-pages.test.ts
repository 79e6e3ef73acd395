import { expect, test } from 'vitest';
import { readFurtherPages } from './read-further-pages.ts';
import type { ListReply } from './types.ts';

type Row = { readonly id: number };

/** Reads a list with these pages. Returns the row ids, and the numbers of the pages that were read. */
async function readPages(...pages: readonly number[][]) {
  const asked: number[] = [];
  const pageOf = (page: number): ListReply<Row> => {
    const data = (pages[page - 1] ?? []).map((id) => ({ id }));
    const pagination = { page, pageSize: 2, pageCount: pages.length, total: pages.flat().length };
    return { data, meta: { pagination } };
  };
  const { data } = await readFurtherPages(pageOf(1), (page) => {
    asked.push(page);
    return Promise.resolve(pageOf(page));
  });
  return { ids: data.map(({ id }) => id), asked };
}

test('returns the rows of all pages, in their order', async () => {
  expect(await readPages([5, 4], [3, 2], [1])).toEqual({ ids: [5, 4, 3, 2, 1], asked: [2, 3] });
});

test('returns a row only once if a new row moves it to the next page', async () => {
  expect((await readPages([4, 3], [3, 2], [1])).ids).toEqual([4, 3, 2, 1]);
});
