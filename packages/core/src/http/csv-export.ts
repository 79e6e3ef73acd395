import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvCell, csvRecord } from '../domain/csv.ts';
import { formatMajorUnits } from '../domain/money.ts';
import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import type { Reply } from './route.ts';

const ROWS_PER_PAGE = 2_000;
/** Each export holds a snapshot, and on Postgres a connection of the pool. */
const MAX_EXPORTS = 3;
/** An export ends when its client reads no data for this long, because the export holds a snapshot. */
const STALL_TIMEOUT_MS = 30_000;

/** A list as CSV. Its columns are fields of the rows, in this order. */
export interface CsvExport<Row extends object = object> {
  /** Name of the file, without its ending. */
  readonly name: string;
  readonly columns: readonly string[];
  /**
   * Lists a page of rows. The engine of the runtime reads the snapshot of the export.
   * @param last the last row of the previous page; the next page starts after it, without counting rows
   */
  readonly listRows: (
    runtime: Runtime,
    range: { readonly offset: number; readonly limit: number },
    last: Row | null,
  ) => Promise<readonly Row[]>;
}

/** Replies with all rows of a list as a CSV file, which is streamed. */
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

/** Running exports of each engine. */
const running = new WeakMap<Engine, number>();

/**
 * Streams all rows of a list from one snapshot. Only one page is in memory: the next page is read when the
 * client has taken the current page.
 * @returns when the first page has been read
 * @throws Unavailable when too many exports are running
 */
export async function streamCsv<Row extends object>(
  runtime: Runtime,
  { columns, listRows }: CsvExport<Row>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { engine } = runtime;
  const count = running.get(engine) ?? 0;
  if (count >= MAX_EXPORTS) throw new Unavailable(`${MAX_EXPORTS} CSV exports are already running`);
  running.set(engine, count + 1);
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  return await new Promise((resolve, reject) => {
    const writeAll = engine.snapshot(async (db) => {
      const snapshot = { ...runtime, engine: { ...engine, read: db } };
      let text = csvRecord(columns);
      let last: Row | null = null;
      for (let offset = 0; ; offset += ROWS_PER_PAGE) {
        const rows: readonly Row[] = await listRows(snapshot, { offset, limit: ROWS_PER_PAGE }, last);
        for (const row of rows) text += csvRecord(cellsOf(row, columns));
        resolve(readable);
        await inTime(writer.write(encoder.encode(text)));
        if (rows.length < ROWS_PER_PAGE) return;
        text = '';
        last = rows.at(-1) ?? null;
        // SQLite returns synchronously: without this pause, the export would block all other requests.
        await nextTurn();
      }
    });
    writeAll
      .then(
        () => writer.close(),
        (error: unknown) => {
          reject(error);
          return writer.abort(error);
        },
      )
      // The client has closed the connection, so it does not matter that the stream cannot be closed.
      .catch(() => {})
      .finally(() => running.set(engine, (running.get(engine) ?? 1) - 1));
  });
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

async function inTime(written: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error('The client has stopped reading the export')),
      STALL_TIMEOUT_MS,
    );
    timer.unref();
  });
  try {
    await Promise.race([written, stalled]);
  } finally {
    clearTimeout(timer);
  }
}
