import { type CsvCell, csvRecord } from '../domain/csv.ts';
import { formatMajorUnits } from '../domain/money.ts';
import type { Runtime } from '../runtime.ts';
import { type ExportOwner, listPages, streamExport } from './export-stream.ts';
import type { Reply } from './route.ts';

/** A list that can be exported as CSV. The columns are fields of the rows. */
export interface CsvExport<Row extends object = object> {
  /** The file name without its extension. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly owner: ExportOwner;
  /**
   * Returns one page of rows. `runtime.engine` reads from the snapshot of the export.
   * @param last the last row of the previous page. The page starts after this row. This is faster than
   * skipping rows with `offset`
   */
  readonly listCsvRows: (
    runtime: Runtime,
    range: { readonly offset: number; readonly limit: number },
    last: Row | null,
  ) => Promise<readonly Row[]>;
}

/** Replies with all rows of a list as a streamed CSV file. */
export async function replyWithCsv<Row extends object>(
  runtime: Runtime,
  list: CsvExport<Row>,
): Promise<Reply> {
  return {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${list.name}.csv"`,
    },
    body: await streamCsv(runtime, list),
  };
}

/**
 * Streams all rows of a list from one snapshot, as `streamExport` does.
 * @throws Unavailable when too many exports are running
 */
export function streamCsv<Row extends object>(
  runtime: Runtime,
  list: CsvExport<Row>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  return streamExport(runtime, list.owner, (snapshot) => listCsvPages(snapshot, list));
}

async function* listCsvPages<Row extends object>(
  snapshot: Runtime,
  { columns, listCsvRows }: CsvExport<Row>,
): AsyncGenerator<Iterable<string>> {
  let isFirst = true;
  for await (const rows of listPages<Row>((range, last) => listCsvRows(snapshot, range, last))) {
    yield csvRecords(columns, rows, isFirst);
    isFirst = false;
  }
}

function* csvRecords(
  columns: readonly string[],
  rows: readonly object[],
  hasHead: boolean,
): Generator<string> {
  if (hasHead) yield csvRecord(columns);
  for (const row of rows) yield csvRecord(cellsOf(row, columns));
}

/** The amount of a row in major units, for the column `amount`. */
export function formatAmount(row: { readonly amount_cents: number; readonly currency: string }): string {
  return formatMajorUnits(row.amount_cents, row.currency);
}

function cellsOf(row: object, columns: readonly string[]): CsvCell[] {
  const fields: Readonly<Record<string, unknown>> = { ...row };
  return columns.map((column) => toCell(fields[column]));
}

function toCell(value: unknown): CsvCell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return JSON.stringify(value);
}
