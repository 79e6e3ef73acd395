import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';

const ROWS_PER_PAGE = 2_000;
/** Text is sent in chunks of this length, so that long rows do not fill the memory. */
const CHUNK_LENGTH = 64 * 1024;
/**
 * The maximum number of exports that run at the same time. Each export holds a snapshot and, on Postgres, a
 * connection of the pool. `maxWaitingSnapshots` of the engine may be lower.
 */
const MAX_EXPORTS = 4;
const MAX_EXPORTS_OF_OWNER = 2;
/** An export is ended when its client has read no data for this long and another client needs the slot. */
const YIELD_AFTER_MS = 5_000;
/** An export is ended when its client reads no data for this long, because the export holds a snapshot. */
const STALL_TIMEOUT_MS = 30_000;
/** An export is also ended when it has waited for its client for this long in total. */
export const MAX_WAITING_MS = 10 * 60_000;

/** Exports with the same owner share a limit. The owner is a workspace. In the partner portal, it is the user. */
export type ExportOwner = `workspace ${number}` | `user ${number}`;

/**
 * Streams a text from one snapshot. Only one page is kept in memory. The next page is read when the client has
 * received the current page.
 * Resolves when the first page has been read.
 * @param listTexts gets a runtime whose `engine` reads from the snapshot, and yields the text of each page in parts
 * @throws Unavailable when too many exports are running
 */
export async function streamExport(
  runtime: Runtime,
  owner: ExportOwner,
  listTexts: (snapshot: Runtime) => AsyncIterable<Iterable<string>>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { engine } = runtime;
  const slot = takeExportSlot(runtime, owner);
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  return await new Promise((resolve, reject) => {
    const writeAll = engine.snapshot(async (db) => {
      let text = '';
      const flush = async () => {
        await slot.waitFor(writer.write(encoder.encode(text)));
        text = '';
        // SQLite queries block the event loop. Without this pause, an export would block all other
        // requests.
        await nextTurn();
      };
      for await (const page of listTexts({ ...runtime, engine: { ...engine, read: db } })) {
        resolve(readable);
        for (const part of page) {
          text += part;
          if (text.length >= CHUNK_LENGTH) await flush();
        }
        if (text !== '') await flush();
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
      // Closing the stream fails if the client has disconnected. The error can be ignored, because nobody reads the
      // export anymore.
      .catch(() => {})
      .finally(() => slot.release());
  });
}

/**
 * Reads all rows of a list in pages.
 * @param list reads a page; `last` is the last row of the previous page
 */
export async function* listPages<Row>(
  list: (
    range: { readonly offset: number; readonly limit: number },
    last: Row | null,
  ) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | null = null;
  for (let offset = 0; ; offset += ROWS_PER_PAGE) {
    const rows = await list({ offset, limit: ROWS_PER_PAGE }, last);
    yield rows;
    if (rows.length < ROWS_PER_PAGE) return;
    last = rows.at(-1) ?? null;
  }
}

/**
 * The running exports of each Affkit instance. The key is the object in `Runtime.secret`, because all copies of an
 * instance's runtime share this object. The runtime and its engine cannot be the key, because each copy is a different
 * object and can have a different engine.
 */
const runningExports = new WeakMap<Runtime['secret'], Set<ExportSlot>>();

/**
 * Takes a slot for an export. If all slots are taken, ends an export whose client has stopped reading. Idle
 * clients therefore cannot block other clients.
 * @throws Unavailable when all slots are taken by clients that are still reading
 */
function takeExportSlot(
  { secret, now, engine }: Pick<Runtime, 'secret' | 'now' | 'engine'>,
  owner: ExportOwner,
): ExportSlot {
  const maxExports = Math.min(MAX_EXPORTS, engine.maxWaitingSnapshots ?? MAX_EXPORTS);
  const slots = runningExports.get(secret) ?? new Set();
  runningExports.set(secret, slots);
  const ofOwner = [...slots].filter((slot) => slot.owner === owner);
  freeExportSlot(ofOwner, Math.min(MAX_EXPORTS_OF_OWNER, maxExports), 'of this account');
  freeExportSlot([...slots], maxExports, 'of all accounts');
  const slot = new ExportSlot(owner, now, () => slots.delete(slot));
  slots.add(slot);
  return slot;
}

function freeExportSlot(slots: readonly ExportSlot[], limit: number, whose: string): void {
  if (slots.length < limit) return;
  const [idlest] = slots.toSorted((one, other) => other.waitedMs - one.waitedMs);
  if (idlest === undefined || idlest.waitedMs < YIELD_AFTER_MS) {
    throw new Unavailable(`${limit} exports ${whose} are already running`);
  }
  idlest.stop(new Error('The client reads the export too slowly, and another export needs its slot'));
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

  /** The time for which the client has read no data. */
  get waitedMs(): number {
    return this.#waitingSince === null ? 0 : this.#now() - this.#waitingSince;
  }

  /** Makes the pending call of `waitFor` reject. Call it only while `waitFor` is running. */
  stop(error: Error): void {
    this.release();
    this.#stopped.reject(error);
  }

  /** @throws when the client does not read the data in time, or another export needs the slot */
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
