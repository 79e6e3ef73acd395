import {
  AffkitConflictError,
  type AffkitError,
  AffkitNotFoundError,
  AffkitValidationError,
} from './errors.ts';
import { byteLength, instant as checkInstant } from './input/check.ts';
import type { SaleInput } from './input/events.ts';
import type { SaleResult } from './results.ts';

/** A sale from your own records. `occurred_at` is required, so that a late sale keeps its real time. */
export type ListedSale = SaleInput & { occurred_at: string };

type SyncOrAsyncIterable<T> = AsyncIterable<T> | Iterable<T>;

/** Options of `affkit.reconcile()`. */
export interface ReconcileOptions {
  /** Start of the period to check. The server accepts sales of the last 90 days. */
  readonly since: Date;
  /**
   * Returns your sales since that time: an array, or an async iterable that reads your database page by page.
   */
  readonly list: (since: Date) => SyncOrAsyncIterable<ListedSale> | Promise<SyncOrAsyncIterable<ListedSale>>;
  /**
   * Aborts the reconciliation, which then throws an `AffkitAbortError`. Sales that were already sent remain
   * recorded.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The result of `affkit.reconcile()`. */
export interface Reconciliation {
  /** Number of listed sales. */
  readonly checked: number;
  /** Number of sales that the server already had. */
  readonly existing: number;
  /** Number of missing sales that the server has accepted now, or that the spool has stored. */
  readonly sent: number;
  /** Number of missing sales whose customers have no partner. Such sales need no record. */
  readonly unattributed: number;
  /** Missing sales that the server rejected. */
  readonly refused: { readonly transactionId: string; readonly error: AffkitError }[];
}

/** The parts of the client that `reconcile` uses. */
interface Client {
  findMissing(transactionIds: readonly string[], signal: AbortSignal | undefined): Promise<readonly string[]>;
  sale(sale: ListedSale, signal: AbortSignal | undefined): Promise<SaleResult>;
}

/** The maximum number of transaction ids that the server accepts per request. */
const MAX_IDS_PER_REQUEST = 1_000;
/** Every server version accepts bodies up to its default limit of 64 KiB. */
const MAX_BYTES = 60_000;

/**
 * Sends the sales that the server does not have. Throws if a request fails. Sales that were already sent
 * remain recorded.
 */
export async function reconcile(client: Client, options: ReconcileOptions): Promise<Reconciliation> {
  const { since, list, signal } = options;
  const refused: Reconciliation['refused'] = [];
  let [checked, existing, sent, unattributed] = [0, 0, 0, 0];
  for await (const chunk of splitIntoChunks(await list(since))) {
    const missing = new Set(await client.findMissing([...chunk.keys()], signal));
    checked += chunk.size;
    existing += chunk.size - missing.size;
    for (const transactionId of missing) {
      const sale = chunk.get(transactionId);
      if (sale === undefined) continue;
      const outcome = await outcomeOf(client.sale(sale, signal));
      if (outcome === 'sent') sent += 1;
      else if (outcome === 'unattributed') unattributed += 1;
      else refused.push({ transactionId, error: outcome });
    }
  }
  return { checked, existing, sent, unattributed, refused };
}

/** Returns the result for a sale, or the error if the server rejects this sale. Throws all other errors. */
async function outcomeOf(sending: Promise<SaleResult>): Promise<'sent' | 'unattributed' | AffkitError> {
  try {
    const result = await sending;
    if (result.status === 'unattributed') return 'unattributed';
    if (result.status !== 'duplicate' || result.ownedByCaller !== false) return 'sent';
    const { requestId, attempts } = result;
    const message = 'This transaction_id belongs to another program. Add your own prefix to your ids';
    return new AffkitConflictError(message, {
      code: 'transaction_id_taken',
      status: 409,
      requestId,
      attempts,
    });
  } catch (error) {
    const isAboutTheSale = error instanceof AffkitValidationError || error instanceof AffkitNotFoundError;
    if (isAboutTheSale) return error;
    throw error;
  }
}

/** Checks the fields that reconciliation itself needs. `sale()` validates the rest. */
function findProblem({ transaction_id: id, occurred_at: occurredAt }: ListedSale): string | undefined {
  if (typeof id !== 'string' || id === '') {
    return 'Each listed sale must have a transaction_id, a non-empty string';
  }
  if (typeof occurredAt === 'string') return undefined;
  return `The listed sale ${id} is not valid: ${checkInstant(occurredAt, 'occurred_at')}`;
}

/** Groups sales by transaction id into chunks that fit into one request. */
async function* splitIntoChunks(
  sales: SyncOrAsyncIterable<ListedSale>,
): AsyncGenerator<Map<string, ListedSale>> {
  let chunk = new Map<string, ListedSale>();
  let bytes = 0;
  for await (const sale of sales) {
    const problem = findProblem(sale);
    if (problem !== undefined) throw new AffkitValidationError(problem, { code: 'invalid_field' });
    const { transaction_id: id } = sale;
    const length = byteLength(JSON.stringify(id)) + 1;
    if (chunk.size >= MAX_IDS_PER_REQUEST || bytes + length > MAX_BYTES) {
      yield chunk;
      [chunk, bytes] = [new Map(), 0];
    }
    chunk.set(id, sale);
    bytes += length;
  }
  if (chunk.size > 0) yield chunk;
}
