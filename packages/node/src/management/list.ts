import { AffkitAbortError } from '../errors.ts';
import type { Logger } from '../log.ts';

/** A page of a list. */
export interface Page<Row> {
  readonly data: readonly Row[];
  /** The number of this page, starting at 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly pageCount: number;
  /** Number of rows on all pages. */
  readonly total: number;
  /** Whether more rows match than the server lists. If so, set filters, or export the list as CSV. */
  readonly isCapped: boolean;
}

/**
 * The rows of a list. Nothing is requested before you iterate it or call a method.
 *
 * You may change rows while you iterate. Each row appears once, even if rows are added, or if rows that you
 * have changed no longer match the filter. If the server lists only the newest 1,000 matching rows, an
 * iteration ends after these rows and logs a warning.
 *
 * @example
 * ```ts
 * for await (const partner of client.partners.list({ status: 'approved' })) console.log(partner.email);
 *
 * const partners = await client.partners.list().toArray();
 * const { total } = await client.partners.list({ pageSize: 1 }).page();
 * ```
 */
export interface List<Row> extends AsyncIterable<Row> {
  /** Iterates pages. Rows that an earlier page contained are left out. */
  pages(): AsyncIterable<Page<Row>>;
  /**
   * Requests a single page.
   *
   * @param page the number of the page; defaults to the `page` of the query, or 1
   */
  page(page?: number): Promise<Page<Row>>;
  /** Requests all pages, and returns all rows. */
  toArray(): Promise<Row[]>;
}

interface ListSource<Row> {
  readonly operation: string;
  /** The number of the page that an iteration starts with. */
  readonly first: number;
  readonly signal: AbortSignal | undefined;
  readonly logger: Logger;
  readonly read: (page: number) => Promise<Page<Row>>;
}

export function createList<Row>({ operation, first, signal, logger, read }: ListSource<Row>): List<Row> {
  async function* pages(): AsyncGenerator<Page<Row>> {
    const seen = new Set<string>();
    let number = first;
    let total = 0;
    for (;;) {
      const page = await read(number);
      // If rows left the list, later rows moved to pages that were already read. Read these pages again.
      const missing = total - page.total;
      total = page.total;
      if (missing > 0 && number > first) {
        number = Math.max(first, number - Math.ceil(missing / page.pageSize));
        continue;
      }
      yield { ...page, data: page.data.filter((row) => isNew(row, seen)) };
      if (page.page >= page.pageCount) {
        if (page.isCapped) warnOfCap(logger, operation, page.total);
        return;
      }
      number += 1;
    }
  }
  async function* rows(): AsyncGenerator<Row> {
    for await (const { data } of pages()) {
      for (const row of data) {
        if (signal?.aborted) throw aborted(operation, signal);
        yield row;
      }
    }
  }
  return {
    pages,
    page: (number = first) => read(number),
    toArray: async () => {
      const all: Row[] = [];
      for await (const row of rows()) all.push(row);
      return all;
    },
    [Symbol.asyncIterator]: rows,
  };
}

/**
 * Returns whether the row is new, and adds its key to `seen`. The key contains the event type, because events of
 * different types can have the same id.
 */
function isNew(row: unknown, seen: Set<string>): boolean {
  const { id, event_type: type = '' } = row as Readonly<Record<string, unknown>>;
  if (id === undefined) return true;
  const key = `${String(type)}${String(id)}`;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function warnOfCap(logger: Logger, operation: string, total: number): void {
  const advice = 'Set filters, or export the list as CSV';
  logger.warn(`${operation} lists only ${total} of the matching rows. ${advice}`, { operation, total });
}

function aborted(operation: string, { reason }: AbortSignal): AffkitAbortError {
  return new AffkitAbortError(`${operation} was aborted by its signal`, { code: 'aborted', cause: reason });
}
