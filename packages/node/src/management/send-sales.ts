import type { Affkit } from '../affkit.ts';
import { readInteger } from '../check-option.ts';
import { AffkitError, AffkitUnexpectedReplyError, AffkitValidationError } from '../errors.ts';
import { decideFailureAction, MAX_UNEXPECTED_REPLIES, mayBeEventSpecific } from '../failure-action.ts';
import type { SaleInput, TestSaleInput } from '../input/events.ts';
import type { CallOptions } from '../options.ts';
import type { SaleResult } from '../results.ts';

/** Options of {@link sendSales}: the options of each call, and the number of concurrent calls. */
export interface SendSalesOptions extends CallOptions {
  /**
   * Maximum number of sales that are sent at the same time.
   *
   * @default 16
   */
  readonly concurrency?: number | undefined;
}

/** The outcome of a sale: its `result`, or the `error` of the call. The other field is undefined. */
export type SentSale<Sale = SaleInput> =
  | { readonly sale: Sale; readonly result: SaleResult; readonly error?: undefined }
  | { readonly sale: Sale; readonly error: AffkitError; readonly result?: undefined };

const DEFAULT_CONCURRENCY = 16;

/**
 * Sends many sales with an `Affkit` client, a few at a time. `sales` is read only as fast as the server
 * accepts the sales, so it does not have to fit into memory.
 *
 * Yields the outcome of each sale, in the order in which they finish. A sale that the server rejects yields
 * its `error`, and the others are still sent. A failure that would affect every sale stops the run. No
 * further sale is read, and the iteration throws the failure after it has yielded the outcome of every sale
 * already read. You can send all sales again, because the server records each `transaction_id` once.
 *
 * @throws AffkitError if the server cannot be reached, does not answer, is overloaded, or rejects the token
 * @throws AffkitError if 20 replies in a row did not come from Affkit
 *
 * @example
 * ```ts
 * for await (const { sale, result, error } of sendSales(affkit, sales)) {
 *   console.log(sale.transaction_id, error === undefined ? result.status : error.message);
 * }
 * ```
 */
export async function* sendSales<Sale extends SaleInput | TestSaleInput>(
  affkit: Pick<Affkit, 'sale'>,
  sales: AsyncIterable<Sale> | Iterable<Sale>,
  { concurrency = DEFAULT_CONCURRENCY, ...options }: SendSalesOptions = {},
): AsyncGenerator<SentSale<Sale>, void, void> {
  const limit = readInteger('concurrency', concurrency, 1);
  const running = new Map<number, Promise<{ readonly index: number; readonly sent: SentSale<Sale> }>>();
  const failures = new FailureCounter();
  let index = 0;
  const nextSent = async () => {
    const { index: ended, sent } = await Promise.race(running.values());
    running.delete(ended);
    failures.count(sent.error);
    return sent;
  };
  try {
    for await (const sale of sales) {
      const own = index;
      index += 1;
      const sending = sendSale(affkit, sale, options).then((sent) => ({ index: own, sent }));
      // `nextSent` throws the error of a rejection, but possibly only after the next sale was read. Until then, this
      // handler prevents an unhandled rejection.
      sending.catch(() => {});
      running.set(own, sending);
      if (running.size >= limit) yield await nextSent();
      if (failures.lasting !== undefined) break;
    }
    while (running.size > 0) yield await nextSent();
  } finally {
    // If the caller leaves the loop early, wait for the calls in flight.
    await Promise.allSettled(running.values());
  }
  if (failures.lasting !== undefined) throw failures.lasting;
}

/** Finds the first failure that would affect every sale. */
class FailureCounter {
  lasting: AffkitError | undefined;
  #unexpectedReplies = 0;

  count(error: AffkitError | undefined): void {
    if (error instanceof AffkitUnexpectedReplyError) {
      // A firewall may block this sale only, so a single unexpected reply does not stop the run.
      this.#unexpectedReplies += error.attempts;
      if (this.#unexpectedReplies >= MAX_UNEXPECTED_REPLIES) this.lasting ??= error;
      return;
    }
    const isAboutSale =
      error === undefined ||
      error instanceof AffkitValidationError ||
      decideFailureAction(error) === 'dead_letter' ||
      mayBeEventSpecific(error);
    if (!isAboutSale) this.lasting ??= error;
    else if (error?.attempts !== 0) this.#unexpectedReplies = 0;
  }
}

/** Resolves with an `AffkitError` instead of rejecting, because the error is the outcome of the sale. */
async function sendSale<Sale extends SaleInput | TestSaleInput>(
  affkit: Pick<Affkit, 'sale'>,
  sale: Sale,
  options: CallOptions,
): Promise<SentSale<Sale>> {
  try {
    return { sale, result: await affkit.sale(sale, options) };
  } catch (error) {
    if (error instanceof AffkitError) return { sale, error };
    throw error;
  }
}
