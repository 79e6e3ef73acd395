/**
 * The maximum number of rows that a trace reads of each kind. It is limited because a visitor can send any
 * number of clicks.
 */
const MAX_TRACE_ROWS = 1_000;
const KEPT_AT_EACH_END = MAX_TRACE_ROWS / 2;

/** A list that was read without the rows in its middle. `at` is the time of the last row before the gap. */
export interface TraceCut {
  readonly list: string;
  readonly at: number;
}

/**
 * Reads only the first and the last rows of a long list, so that memory usage does not grow with the length of the
 * list.
 */
export class TraceListReader {
  /** The lists that were cut so far. */
  readonly cuts: TraceCut[] = [];

  /**
   * @param name the name of the list, in the plural
   * @param list returns the first rows of the list in the given order
   * @returns all rows if there are at most 1,000; otherwise, the first 500 and the last 500
   */
  async read<Row extends object>(
    name: string,
    list: (order: 'asc' | 'desc', limit: number) => Promise<Row[]>,
    timeOf: (row: Row) => number,
  ): Promise<Row[]> {
    const rows = await list('asc', MAX_TRACE_ROWS + 1);
    if (rows.length <= MAX_TRACE_ROWS) return rows;
    const first = rows.slice(0, KEPT_AT_EACH_END);
    const last = await list('desc', KEPT_AT_EACH_END);
    this.cuts.push({ list: name, at: Math.max(...first.map(timeOf)) });
    return [...first, ...last.reverse()];
  }
}

export function rowCreatedAt(row: { readonly created_at: number }): number {
  return row.created_at;
}
