import {
  AffkitConflictError,
  type AffkitError,
  AffkitNotFoundError,
  AffkitValidationError,
} from './errors.ts';
import { byteLength, instant as checkInstant } from './input/check.ts';
import type { SaleInput } from './input/events.ts';
import type { SaleResult } from './results.ts';

/** A sale of your own records. Its time is needed: a late sale must not count as one of now. */
export type ListedSale = SaleInput & { occurred_at: string };

type Many<T> = AsyncIterable<T> | Iterable<T>;

export interface ReconcileOptions {
  /** How far back to look; the server takes sales of the last 90 days. */
  readonly since: Date;
  /** Gives your sales since then, e.g. a page after the other from your database. */
  readonly list: (since: Date) => Many<ListedSale> | Promise<Many<ListedSale>>;
  /** Ends it, with an `AffkitAbortError`, also in the middle of a request; what was sent by then stands. */
  readonly signal?: AbortSignal | undefined;
}

/** What a reconciliation found. */
export interface Reconciliation {
  /** Sales that were listed. */
  readonly checked: number;
  /** Of them, those that the server had. */
  readonly existing: number;
  /** Those that it lacked and has now, or that a spool keeps for it. */
  readonly sent: number;
  /** Those that it lacked and would not take: customers without a partner are among them. */
  readonly refused: { readonly transactionId: string; readonly error: AffkitError }[];
}

/** What it needs of a client. */
interface Client {
  findMissing(transactionIds: readonly string[], signal: AbortSignal | undefined): Promise<readonly string[]>;
  sale(sale: ListedSale, signal: AbortSignal | undefined): Promise<SaleResult>;
}

/** The server's bound, for one question. */
const MAX_IDS = 1_000;
/** So many every route takes, whatever the server's version. */
const MAX_BYTES = 60_000;

/** Sends what the server lacks. Throws where it can't be asked; what was sent by then stands. */
export async function reconcile(client: Client, options: ReconcileOptions): Promise<Reconciliation> {
  const { since, list, signal } = options;
  const refused: Reconciliation['refused'] = [];
  let [checked, existing, sent] = [0, 0, 0];
  for await (const chunk of inChunks(await list(since))) {
    const missing = new Set(await client.findMissing([...chunk.keys()], signal));
    checked += chunk.size;
    existing += chunk.size - missing.size;
    for (const transactionId of missing) {
      const sale = chunk.get(transactionId);
      if (sale === undefined) continue;
      const error = await refusalOf(client.sale(sale, signal));
      if (error === undefined) sent += 1;
      else refused.push({ transactionId, error });
    }
  }
  return { checked, existing, sent, refused };
}

async function refusalOf(sending: Promise<SaleResult>): Promise<AffkitError | undefined> {
  try {
    const result = await sending;
    if (result.status !== 'duplicate' || result.ownedByCaller !== false) return undefined;
    const { requestId, attempts } = result;
    const message = 'Another program holds this transaction_id: put a prefix of your own before your ids';
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

/** What a listed sale lacks; the rest is judged when it is sent. */
function problemOf({ transaction_id: id, occurred_at: occurredAt }: ListedSale): string | undefined {
  if (typeof id !== 'string' || id === '') {
    return 'Each listed sale must have its transaction_id, a string that is not empty';
  }
  if (typeof occurredAt === 'string') return undefined;
  return `The listed sale ${id} can't be sent: ${checkInstant(occurredAt, 'occurred_at')}`;
}

/** Sales by their ids, as many as may be asked for at once. */
async function* inChunks(sales: Many<ListedSale>): AsyncGenerator<Map<string, ListedSale>> {
  let chunk = new Map<string, ListedSale>();
  let bytes = 0;
  for await (const sale of sales) {
    const problem = problemOf(sale);
    if (problem !== undefined) throw new AffkitValidationError(problem, { code: 'invalid_field' });
    const { transaction_id: id } = sale;
    const length = byteLength(JSON.stringify(id)) + 1;
    if (chunk.size >= MAX_IDS || bytes + length > MAX_BYTES) {
      yield chunk;
      [chunk, bytes] = [new Map(), 0];
    }
    chunk.set(id, sale);
    bytes += length;
  }
  if (chunk.size > 0) yield chunk;
}
