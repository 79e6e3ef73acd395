/** Yields each item unchanged. After each item, reports the number of rows in all items so far. */
export async function* countRows<Item>(
  items: AsyncIterable<Item>,
  rowsOf: (item: Item) => number,
  onRows: (rows: number) => void,
): AsyncGenerator<Item> {
  let rows = 0;
  for await (const item of items) {
    yield item;
    rows += rowsOf(item);
    onRows(rows);
  }
}
