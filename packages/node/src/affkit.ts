/// <reference lib="esnext.disposable" preserve="true" />
import { AffkitAbortError } from './errors.ts';
import { callHook } from './hooks.ts';
import type { LeadInput, RefundInput, SaleInput, TestLeadInput, TestSaleInput } from './input/events.ts';
import { type CheckedInput, readInput, readStoredEvent } from './input/read-input.ts';
import {
  type AffkitOptions,
  type CallOptions,
  readCallOptions,
  readOptions,
  type Settings,
} from './options.ts';
import { readResult } from './read-result.ts';
import type { ReconcileOptions, Reconciliation } from './reconcile.ts';
import { reportAnomalies } from './report-anomalies.ts';
import type { DeliveredByOperation, LeadResult, Queued, RefundResult, SaleResult } from './results.ts';
import type { Operation } from './retry.ts';
import { send } from './send.ts';
import type { Spool, SpoolStats } from './spool/spool.ts';
import { traceHeadersOf } from './trace-headers.ts';
import { trackingCall } from './tracking-call.ts';
import { unattributedResult } from './unattributed.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/**
 * The client of one affiliate program. Create one instance and reuse it.
 *
 * Each call validates its input, sends it and retries temporary failures. The call resolves when the server
 * has stored the event, or when no partner referred the customer. It rejects with an `AffkitError` if the
 * server rejected the event or could not be reached. The client keeps no copy of the event in that case. Send it
 * again; after an `AffkitValidationError`, correct it first. Sending an event twice is always safe: the server
 * records each `transaction_id` once, each customer's lead once, and each refund once.
 *
 * With the option `spool`, a call resolves with `status: 'queued'` as soon as its event is on disk.
 *
 * @example
 * ```ts
 * const affkit = new Affkit(); // reads AFFKIT_TOKEN and AFFKIT_BASE_URL
 *
 * // The cookie is undefined for visitors whom no partner referred.
 * await affkit.lead({ click_id: request.cookies.service_click_id, customer_key: user.id });
 * await affkit.sale({ transaction_id: payment.id, amount_cents: 1999, customer_key: user.id });
 * await affkit.refund({ transaction_id: payment.id, refund_amount_cents: 500 });
 * ```
 */
export class Affkit {
  /** Verifies webhook signatures with the secret from the option `webhookSecret`. */
  readonly webhooks: Webhooks;
  readonly #settings: Settings;

  /**
   * @throws AffkitConfigurationError if an option, or the environment variable that replaces it, is missing
   * or invalid
   */
  constructor(options: AffkitOptions = {}) {
    const settings = readOptions(options);
    const readTrace = () => traceHeadersOf(options.traceContext, settings.logger);
    this.#settings = { ...settings, readTrace };
    const { webhookSecret, runtime, spool, logger, throwOnUnattributed } = this.#settings;
    this.webhooks = new Webhooks({ secret: webhookSecret, runtime });
    spool?.start({
      runtime,
      logger,
      deliver: ({ operation, body }, { mustBeAttributed }) =>
        this.#deliver(operation, readStoredEvent(body), {}, throwOnUnattributed || mustBeAttributed),
    });
  }

  /**
   * Records a completed payment. Repeating a call with the same `transaction_id` is safe: it resolves with
   * `status: 'duplicate'`. If no partner referred the customer, it resolves with `status: 'unattributed'`.
   *
   * @throws AffkitValidationError if the input is invalid
   * @throws AffkitError for every other failure; `retryable` says whether to send the sale again later
   *
   * @example
   * ```ts
   * const result = await affkit.sale({
   *   transaction_id: payment.id,
   *   amount_cents: 1999, // 19.99 USD
   *   currency: 'USD',
   *   customer_key: user.id,
   * });
   * if (result.status === 'recorded') console.log(result.saleId, result.commissionId);
   * ```
   */
  async sale(input: SaleInput | TestSaleInput, options: CallOptions = {}): Promise<SaleResult> {
    return this.#track('sale', input, options);
  }

  /**
   * Deducts the commission of a recorded sale, in full or in proportion to `refund_amount_cents`. A sale can
   * have several refunds if each has its own `refund_id`. A call with a `refund_id` that was already applied
   * changes nothing and resolves with the first result. Without a `refund_id`, only the first refund of a sale
   * counts. A later one changes nothing and resolves with `status: 'duplicate'`.
   *
   * @throws AffkitValidationError if the input is invalid
   * @throws AffkitNotFoundError with code `sale_not_found` if the sale was never recorded
   * @throws AffkitError for every other failure; `retryable` says whether to send the refund again later
   *
   * @example
   * ```ts
   * await affkit.refund({ transaction_id: payment.id }); // the whole sale
   * await affkit.refund({ transaction_id: payment.id, refund_amount_cents: 500 }); // 5.00 of it
   * ```
   */
  async refund(input: RefundInput, options: CallOptions = {}): Promise<RefundResult> {
    return this.#track('refund', input, options);
  }

  /**
   * Records that a visitor signed up. Pass both `click_id` and `customer_key`, so that later sales can be
   * attributed by `customer_key`. A customer becomes a lead once; a repeat resolves with `status:
   * 'duplicate'`. If the visitor has no click id, or the server does not know it, the call resolves with
   * `status: 'unattributed'`.
   *
   * @throws AffkitValidationError if the input is invalid
   * @throws AffkitError for every other failure; `retryable` says whether to send the lead again later
   */
  async lead(input: LeadInput | TestLeadInput, options: CallOptions = {}): Promise<LeadResult> {
    return this.#track('lead', input, options);
  }

  /**
   * Sends the sales that are missing on the server. Run it regularly, e.g. once a night. Repeated runs are
   * safe, because the server records each sale once.
   *
   * @throws AffkitError if a request fails. If the server rejects a single sale, the method continues and
   * lists the sale in `refused`. Sales that were sent before the error remain recorded.
   *
   * @example
   * ```ts
   * const since = new Date(Date.now() - 7 * 86_400_000);
   * const { sent, refused } = await affkit.reconcile({ since, list: (since) => salesSince(since) });
   *
   * // Pages of ids; only the sales that the server does not have are loaded.
   * await affkit.reconcile({
   *   since,
   *   list: async (since, cursor) => {
   *     const ids = await paymentIdsAfter(since, cursor);
   *     return { items: ids, next: ids.at(-1) };
   *   },
   *   load: (ids) => salesOf(ids),
   * });
   * ```
   */
  async reconcile(options: ReconcileOptions): Promise<Reconciliation> {
    // Most applications never call this method, so its code is loaded on demand.
    const { reconcile } = await import('./reconcile.ts');
    return reconcile(
      {
        findMissing: async (transactionIds, signal) => {
          const body = JSON.stringify({ transaction_ids: transactionIds });
          const { response: reply } = await send(trackingCall('exists', body), this.#settings, { signal });
          const missing = reply.body?.['missing'];
          return Array.isArray(missing) ? missing.filter((id) => typeof id === 'string') : [];
        },
        sale: (sale, signal) => this.sale(sale, { signal }),
      },
      options,
    );
  }

  /**
   * Waits until the server has accepted or rejected every event that is in the spool now. Resolves
   * immediately without a spool.
   *
   * @throws AffkitTimeoutError with code `flush_timeout` if the wait exceeds the spool's option `flushMs`
   * @throws AffkitError if delivery has stopped, e.g. because the server rejects the token, or if the client is closed
   * (code `spool_closed`)
   */
  async flush(): Promise<void> {
    await this.#settings.spool?.flush();
  }

  /**
   * Stops the spool after the requests in flight have finished. Undelivered events remain on disk. Later calls still
   * store their events. The next client that uses the folder sends all undelivered events.
   */
  async close(): Promise<void> {
    await this.#settings.spool?.close();
  }

  /** The current state of the spool; undefined without a spool. */
  stats(): SpoolStats | undefined {
    return this.#settings.spool?.stats();
  }

  /** Flushes and closes the spool. A failed flush is logged and does not throw. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush().catch((error: unknown) => {
      this.#settings.logger.warn('Could not flush the spool; undelivered events remain on disk', {
        error: String(error),
      });
    });
    await this.close();
  }

  /** The fields for `JSON.stringify`. They contain only the base URL and no secret. */
  toJSON(): { baseUrl: string } {
    return { baseUrl: this.#settings.baseUrl };
  }

  #track<O extends Operation>(
    operation: O,
    input: unknown,
    options: CallOptions,
  ): Promise<DeliveredByOperation[O] | Queued> {
    const { spool, throwOnUnattributed, waitUntil, runtime, logger } = this.#settings;
    // Without a spool, `occurred_at` has no default: the server uses the time at which the request arrives.
    const checked = readInput(operation, input, spool === undefined ? undefined : runtime.now());
    const call =
      spool === undefined
        ? this.#deliver(operation, checked, options, throwOnUnattributed)
        : this.#enqueue(spool, operation, checked, options);
    // The caller handles the rejection of `call`; the runtime only needs to know when it has settled.
    const settled = call.catch(() => {});
    callHook({ waitUntil }, 'waitUntil', settled, logger);
    return call;
  }

  async #enqueue(
    spool: Spool,
    operation: Operation,
    { body, isTimeOfCall }: CheckedInput,
    options: CallOptions,
  ): Promise<Queued> {
    readCallOptions(options, this.#settings);
    if (options.signal?.aborted) {
      const cause: unknown = options.signal.reason;
      throw new AffkitAbortError(`The ${operation} was aborted by its signal`, { code: 'aborted', cause });
    }
    return { status: 'queued', spoolId: await spool.put({ operation, body, isTimeOfCall }) };
  }

  async #deliver<O extends Operation>(
    operation: O,
    checked: CheckedInput,
    options: CallOptions,
    throwOnUnattributed: boolean,
  ): Promise<DeliveredByOperation[O]> {
    try {
      const sent = await send(trackingCall(operation, checked.body), this.#settings, options);
      const result = readResult(operation, sent);
      reportAnomalies(result, checked, this.#settings);
      return result;
    } catch (error) {
      const unattributed = throwOnUnattributed ? undefined : unattributedResult(operation, error);
      if (unattributed === undefined) throw error;
      return unattributed;
    }
  }
}
