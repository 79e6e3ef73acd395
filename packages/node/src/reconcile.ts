import { type AffkitError, AffkitNotFoundError, AffkitValidationError } from './errors.ts';
import { byteLength, id as checkId, instant as checkInstant } from './input/check.ts';
import type { SaleInput } from './input/events.ts';
import type { SaleResult } from './results.ts';
import { transactionIdTakenError } from './transaction-id-taken.ts';

/** A sale from your own records. `occurred_at` is required, so that a sale that is sent late keeps its real time. */
export type ListedSale = SaleInput & { occurred_at: string };

type MaybePromise<T> = T | Promise<T>;

/** Items, or pages of items. Pages are read one after the other, so only one is in memory. */
export type ItemsOrPages<T> =
  | Iterable<T>
  | AsyncIterable<T>
  | Iterable<readonly T[]>
  | AsyncIterable<readonly T[]>;

/** A page of a list that is read with a cursor. */
export interface ListPage<T> {
  readonly items: ItemsOrPages<T>;
  /** The cursor of the next page. Absent, `null` or empty on the last page. */
  readonly next?: string | null | undefined;
}

/**
 * A list: items, pages of items, or a function. The function may return items, pages, or a {@link ListPage}.
 * If a {@link ListPage} has a cursor `next`, the function is called again with that cursor.
 */
export type Listing<T> =
  | ItemsOrPages<T>
  | ((since: Date, cursor: string | undefined) => MaybePromise<ItemsOrPages<T> | ListPage<T>>);

interface CommonOptions {
  /**
   * Start of the period to check. The server accepts sales of the last 90 days. If `list` is a function, it
   * receives this date.
   */
  readonly since: Date;
  /**
   * Aborts the reconciliation, which then throws an `AffkitAbortError`. Sales that were already sent remain
   * recorded.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `affkit.reconcile()` that list whole sales. */
export interface ReconcileSalesOptions extends CommonOptions {
  /** Your sales since `since`: an iterable of sales or of pages, or a function that returns pages. */
  readonly list: Listing<ListedSale>;
  readonly load?: undefined;
}

/** Options of `affkit.reconcile()` that list ids, and load a sale only if the server does not have it. */
export interface ReconcileIdsOptions extends CommonOptions {
  /**
   * The `transaction_id`s of your sales since `since`: an iterable of ids or of pages, or a function that
   * returns pages.
   */
  readonly list: Listing<string>;
  /** Returns the sales with these ids, in any order. It is called with at most 100 ids. */
  readonly load: (transactionIds: readonly string[]) => Iterable<ListedSale> | Promise<Iterable<ListedSale>>;
}

/** Options of `affkit.reconcile()`. */
export type ReconcileOptions = ReconcileSalesOptions | ReconcileIdsOptions;

/** The result of `affkit.reconcile()`. */
export interface Reconciliation {
  /** Number of listed sales. */
  readonly checked: number;
  /** Number of sales that the server already had. */
  readonly existing: number;
  /** Number of missing sales that the server has accepted now, or that the spool has stored. */
  readonly sent: number;
  /** Number of missing sales whose customers have no partner. The server does not record such sales. */
  readonly unattributed: number;
  /** Number of missing sales that the server rejected, or that `load` did not return. */
  readonly refusedCount: number;
  /** The first 1,000 of the sales that `refusedCount` counts, with the reasons. */
  readonly refused: { readonly transactionId: string; readonly error: AffkitError }[];
}

/** The parts of the client that `reconcile` uses. */
interface ReconcileClient {
  findMissing(transactionIds: readonly string[], signal: AbortSignal | undefined): Promise<readonly string[]>;
  sale(sale: ListedSale, signal: AbortSignal | undefined): Promise<SaleResult>;
}

/** The maximum number of transaction ids that the server accepts per request. */
const MAX_IDS_PER_REQUEST = 1_000;
/** Keeps the body of a request below 64 KiB. Every server version accepts bodies of this size by default. */
const MAX_BYTES = 60_000;
/** Limits the memory that one call of `load` needs. A sale can be as large as 64 KiB. */
const MAX_IDS_PER_LOAD = 100;
/** Limits the memory of the result. */
const MAX_REFUSED = 1_000;

/**
 * Sends the sales that the server does not have. Throws if a request fails. Sales that were already sent
 * remain recorded.
 */
export async function reconcile(client: ReconcileClient, options: ReconcileOptions): Promise<Reconciliation> {
  const { since, list, load, signal } = options;
  const refused: Reconciliation['refused'] = [];
  let [checked, existing, sent, unattributed, refusedCount] = [0, 0, 0, 0, 0];
  for await (const chunk of splitIntoChunks(listItems(list, since))) {
    const listed = [...chunk.keys()];
    // The server would reject a lookup with an id that is not valid. `sale` rejects only the sale with this id.
    const valid = listed.filter((id) => checkId(id, 'transaction_id') === undefined);
    const missing = new Set(valid.length > 0 ? await client.findMissing(valid, signal) : []);
    const present = new Set(valid.filter((id) => !missing.has(id)));
    const ids = listed.filter((id) => !present.has(id));
    checked += chunk.size;
    existing += chunk.size - ids.length;
    for (let start = 0; start < ids.length; start += MAX_IDS_PER_LOAD) {
      const batch = ids.slice(start, start + MAX_IDS_PER_LOAD);
      const unloaded = batch.filter((id) => typeof chunk.get(id) === 'string');
      const loaded = unloaded.length > 0 ? await load?.(unloaded) : undefined;
      for (const sale of loaded ?? []) chunk.set(readId(sale), sale);
      for (const transactionId of batch) {
        const sale = chunk.get(transactionId);
        // Free the memory of each sale when it is sent.
        chunk.delete(transactionId);
        const outcome =
          typeof sale === 'object'
            ? await reconcileOutcomeOf(client.sale(sale, signal))
            : invalid(`load returned no sale with the transaction_id ${transactionId}`);
        if (outcome === 'sent') sent += 1;
        else if (outcome === 'unattributed') unattributed += 1;
        else {
          refusedCount += 1;
          if (refused.length < MAX_REFUSED) refused.push({ transactionId, error: outcome });
        }
      }
    }
  }
  return { checked, existing, sent, unattributed, refusedCount, refused };
}

/** Returns the result for a sale, or the error if the server rejects this sale. Throws all other errors. */
async function reconcileOutcomeOf(
  sending: Promise<SaleResult>,
): Promise<'sent' | 'unattributed' | AffkitError> {
  try {
    const saleResult = await sending;
    if (saleResult.status === 'unattributed') return 'unattributed';
    return transactionIdTakenError(saleResult) ?? 'sent';
  } catch (error) {
    const isAboutTheSale = error instanceof AffkitValidationError || error instanceof AffkitNotFoundError;
    if (isAboutTheSale) return error;
    throw error;
  }
}

/** Reads the items of a list, one page at a time. */
async function* listItems(list: ReconcileOptions['list'], since: Date): AsyncGenerator<string | ListedSale> {
  let cursor: string | undefined;
  do {
    const listed = typeof list === 'function' ? await list(since, cursor) : list;
    const page: ListPage<string | ListedSale> = 'items' in listed ? listed : { items: listed };
    for await (const item of page.items) {
      if (Array.isArray(item)) yield* item;
      else yield item as string | ListedSale;
    }
    if (page.next && page.next === cursor)
      throw invalid(
        `list was called with the cursor ${cursor} and returned the same cursor, so the listing would never end`,
      );
    cursor = page.next || undefined;
  } while (cursor !== undefined);
}

/** Groups sales by transaction id into chunks that fit into one request. */
async function* splitIntoChunks(
  items: AsyncIterable<string | ListedSale>,
): AsyncGenerator<Map<string, string | ListedSale>> {
  let chunk = new Map<string, string | ListedSale>();
  let bytes = 0;
  for await (const item of items) {
    const id = readId(item);
    const length = byteLength(JSON.stringify(id)) + 1;
    if (bytes + length > MAX_BYTES) {
      yield chunk;
      [chunk, bytes] = [new Map(), 0];
    }
    chunk.set(id, item);
    bytes += length;
    // Yield the chunk before reading the next item, which could load another page into memory.
    if (chunk.size === MAX_IDS_PER_REQUEST) {
      yield chunk;
      [chunk, bytes] = [new Map(), 0];
    }
  }
  if (chunk.size > 0) yield chunk;
}

/**
 * Checks the fields that reconciliation itself needs. `sale()` validates the rest.
 *
 * @returns the transaction id
 */
function readId(item: string | ListedSale): string {
  const id: unknown = typeof item === 'string' ? item : item?.transaction_id;
  if (typeof id !== 'string' || id === '') {
    throw invalid('Each listed sale must have a transaction_id, a non-empty string');
  }
  if (typeof item === 'string' || typeof item.occurred_at === 'string') return id;
  throw invalid(`The listed sale ${id} is not valid: ${checkInstant(item.occurred_at, 'occurred_at')}`);
}

function invalid(message: string): AffkitValidationError {
  return new AffkitValidationError(message, { code: 'invalid_field' });
}
