/** Maximum number of rows of a kind that a trace reads. A visitor can send any number of clicks. */
const MAX_TRACE_ROWS = 1_000;
const KEPT_AT_EACH_END = MAX_TRACE_ROWS / 2;

/** A list whose middle rows are left out. `at` is the time of the last row before the gap. */
export interface TraceCut {
  readonly list: string;
  readonly at: number;
}

/** Reads the first and last rows of long lists, so that a list of any length takes little memory. */
export class TraceListReader {
  /** The lists that were too long so far. */
  readonly cuts: TraceCut[] = [];

  /**
   * @param name name of the list, in the plural
   * @param list returns the first rows in this order
   * @returns all rows, or the first and the last 500 of more than 1,000
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

/** The time at which a row was stored. */
export function rowCreatedAt(row: { readonly created_at: number }): number {
  return row.created_at;
}
