import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CsvCell, csvRecord } from '../domain/csv.ts';
import { formatMajorUnits } from '../domain/money.ts';
import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import type { Reply } from './route.ts';

const ROWS_PER_PAGE = 2_000;
/** Larger texts are sent in parts, so that long rows do not fill the memory. */
const CHUNK_LENGTH = 64 * 1024;
/** Each export holds a snapshot, and on Postgres a connection of the pool. */
const MAX_EXPORTS = 4;
const MAX_EXPORTS_OF_OWNER = 2;
/** A client that reads no data for this long loses its export if another client needs the slot. */
const YIELD_AFTER_MS = 5_000;
/** An export ends when its client reads no data for this long, because the export holds a snapshot. */
const STALL_TIMEOUT_MS = 30_000;
/** An export also ends when its waits for the client add up to this time. */
const MAX_WAITING_MS = 10 * 60_000;

type ExportOwner = `workspace ${number}` | `user ${number}`;

/** A list as CSV. Its columns are fields of the rows, in this order. */
export interface CsvExport<Row extends object = object> {
  /** Name of the file, without its ending. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The owner of exports that share one limit: a workspace, or a partner's user. */
  readonly owner: ExportOwner;
  /**
   * Lists a page of rows. The engine of the runtime reads the snapshot of the export.
   * @param last the last row of the previous page; the next page starts after it, without counting rows
   */
  readonly listCsvRows: (
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

/**
 * Streams all rows of a list from one snapshot. Only one page is in memory: the next page is read when the
 * client has taken the current page.
 * @returns when the first page has been read
 * @throws Unavailable when too many exports are running
 */
export async function streamCsv<Row extends object>(
  runtime: Runtime,
  { columns, owner, listCsvRows: listRows }: CsvExport<Row>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { engine } = runtime;
  const slot = takeExportSlot(runtime, owner);
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  return await new Promise((resolve, reject) => {
    const writeAll = engine.snapshot(async (db) => {
      const snapshot = { ...runtime, engine: { ...engine, read: db } };
      let text = csvRecord(columns);
      let last: Row | null = null;
      const flush = async () => {
        await slot.waitFor(writer.write(encoder.encode(text)));
        text = '';
        // SQLite returns synchronously: without this pause, the export would block all other requests.
        await nextTurn();
      };
      for (let offset = 0; ; offset += ROWS_PER_PAGE) {
        const rows: readonly Row[] = await listRows(snapshot, { offset, limit: ROWS_PER_PAGE }, last);
        resolve(readable);
        for (const row of rows) {
          text += csvRecord(cellsOf(row, columns));
          if (text.length >= CHUNK_LENGTH) await flush();
        }
        if (text !== '') await flush();
        if (rows.length < ROWS_PER_PAGE) return;
        last = rows.at(-1) ?? null;
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
      .finally(() => slot.release());
  });
}

/** The running exports of each engine. */
const runningExports = new WeakMap<Engine, Set<ExportSlot>>();

/**
 * Takes the slot of one export. If all are taken, an export whose client has stopped reading is ended, so that
 * idle clients cannot keep others out.
 * @throws Unavailable when the clients of all exports read
 */
function takeExportSlot({ engine, now }: Pick<Runtime, 'engine' | 'now'>, owner: ExportOwner): ExportSlot {
  const slots = runningExports.get(engine) ?? new Set();
  runningExports.set(engine, slots);
  const ofOwner = [...slots].filter((slot) => slot.owner === owner);
  freeExportSlot(ofOwner, MAX_EXPORTS_OF_OWNER, 'of this account');
  freeExportSlot([...slots], MAX_EXPORTS, 'of all accounts');
  const slot = new ExportSlot(owner, now, () => slots.delete(slot));
  slots.add(slot);
  return slot;
}

function freeExportSlot(slots: readonly ExportSlot[], limit: number, whose: string): void {
  if (slots.length < limit) return;
  const [idlest] = slots.toSorted((one, other) => other.waitedMs - one.waitedMs);
  if (idlest === undefined || idlest.waitedMs < YIELD_AFTER_MS) {
    throw new Unavailable(`${limit} CSV exports ${whose} are already running`);
  }
  idlest.stop(new Error('The client reads its export too slowly, and another one needs its place'));
}

/** The right to run one export. */
class ExportSlot {
  readonly owner: ExportOwner;
  readonly release: () => void;
  readonly #now: () => number;
  readonly #stopped = Promise.withResolvers<never>();
  #waitingSince: number | null = null;
  #leftMs = MAX_WAITING_MS;

  constructor(owner: ExportOwner, now: () => number, release: () => void) {
    this.owner = owner;
    this.release = release;
    this.#now = now;
  }

  /** How long the client has read no data. */
  get waitedMs(): number {
    return this.#waitingSince === null ? 0 : this.#now() - this.#waitingSince;
  }

  /** Makes `waitFor` throw. Must be called only during `waitFor`. */
  stop(error: Error): void {
    this.release();
    this.#stopped.reject(error);
  }

  /** @throws when the client does not take the data in time, or the slot is needed */
  async waitFor(written: Promise<void>): Promise<void> {
    this.#waitingSince = this.#now();
    const timer = setTimeout(
      () => this.stop(new Error('The client has stopped reading the export')),
      Math.min(STALL_TIMEOUT_MS, this.#leftMs),
    );
    timer.unref();
    try {
      await Promise.race([written, this.#stopped.promise]);
    } finally {
      clearTimeout(timer);
      this.#leftMs -= this.waitedMs;
      this.#waitingSince = null;
    }
  }
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
