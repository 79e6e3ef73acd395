/// <reference lib="esnext.disposable" preserve="true" />
import { AffkitAbortError } from './errors.ts';
import { unreadable } from './failure.ts';
import type { LeadInput, RefundInput, SaleInput, TestSaleInput } from './input/events.ts';
import { type CheckedInput, readEvent, readInput } from './input/read-input.ts';
import {
  type AffkitOptions,
  type CallOptions,
  readCallOptions,
  readOptions,
  type Settings,
} from './options.ts';
import { readResult } from './read-result.ts';
import { type ReconcileOptions, type Reconciliation, reconcile } from './reconcile.ts';
import { reportDelivery } from './report.ts';
import type { DeliveredOf, LeadResult, Queued, RefundResult, SaleResult } from './results.ts';
import type { Operation } from './retry.ts';
import { send } from './send.ts';
import type { Spool, SpoolStats } from './spool/spool.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/**
 * The client of one program. Make one and keep it.
 *
 * Every call checks its input, sends it, and repeats it while that can help. It resolves when the server has the
 * event; it throws an `AffkitError` when the server refused it or could not be reached, and then the event is the
 * caller's to send again. That is always safe: a `transaction_id` is recorded once, a customer becomes a lead
 * once, a commission is taken back once. With a spool a call resolves as soon as its event is kept.
 */
export class Affkit {
  /** Verifies webhooks with `webhookSecret`. */
  readonly webhooks: Webhooks;
  readonly #settings: Settings;

  /** Throws an `AffkitConfigurationError` where an option, or the variable in its place, is missing or wrong. */
  constructor(options: AffkitOptions = {}) {
    this.#settings = readOptions(options);
    const { webhookSecret, runtime, spool, logger } = this.#settings;
    this.webhooks = new Webhooks({ secret: webhookSecret, runtime });
    spool?.start({
      runtime,
      logger,
      deliver: ({ operation, body }) => this.#deliver(operation, readEvent(body), {}),
    });
  }

  /** Records a completed payment. */
  async sale(input: SaleInput | TestSaleInput, options: CallOptions = {}): Promise<SaleResult> {
    return this.#track('sale', input, options);
  }

  /** Takes back the commission of a recorded sale, whole or in proportion. Only a sale's first refund counts. */
  async refund(input: RefundInput, options: CallOptions = {}): Promise<RefundResult> {
    return this.#track('refund', input, options);
  }

  /** Tells that a visitor signed up. */
  async lead(input: LeadInput, options: CallOptions = {}): Promise<LeadResult> {
    return this.#track('lead', input, options);
  }

  /**
   * Finds which of your sales the server lacks and sends them, e.g. once a night. It may run as often as it likes: a
   * sale is recorded once.
   */
  async reconcile(options: ReconcileOptions): Promise<Reconciliation> {
    return reconcile(
      {
        findMissing: async (transactionIds, signal) => {
          const body = JSON.stringify({ transaction_ids: transactionIds });
          const { reply } = await send('exists', body, this.#settings, { signal });
          const missing = reply.body?.['missing'];
          if (Array.isArray(missing)) return missing.filter((id) => typeof id === 'string');
          throw unreadable(reply);
        },
        sale: (sale, signal) => this.sale(sale, { signal }),
      },
      options,
    );
  }

  /**
   * Resolves when the spool has delivered what it keeps now; rejects with what holds it up. At once where there is
   * no spool: each call has its own answer.
   */
  async flush(): Promise<void> {
    await this.#settings.spool?.flush();
  }

  /** Ends the spool's work; what it keeps stays on disk for the next process. */
  async close(): Promise<void> {
    await this.#settings.spool?.close();
  }

  /** How things stand in the spool; undefined where there is none. */
  stats(): SpoolStats | undefined {
    return this.#settings.spool?.stats();
  }

  /** Flushes as far as that goes, then closes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush().catch((error: unknown) => {
      this.#settings.logger.warn('The spool keeps events for the next process', { error: String(error) });
    });
    await this.close();
  }

  /** Where it sends to. It holds no secret. */
  toJSON(): { baseUrl: string } {
    return { baseUrl: this.#settings.baseUrl };
  }

  #track<O extends Operation>(
    operation: O,
    input: unknown,
    options: CallOptions,
  ): Promise<DeliveredOf[O] | Queued> {
    const checked = readInput(operation, input, this.#settings.runtime.now());
    const { spool, waitUntil } = this.#settings;
    const call =
      spool === undefined
        ? this.#deliver(operation, checked, options)
        : this.#keep(spool, operation, checked, options);
    // The caller sees the failure too, or chose not to.
    waitUntil?.(call.catch(() => {}));
    return call;
  }

  async #keep(
    spool: Spool,
    operation: Operation,
    { body }: CheckedInput,
    options: CallOptions,
  ): Promise<Queued> {
    readCallOptions(options, this.#settings);
    if (options.signal?.aborted) {
      const cause: unknown = options.signal.reason;
      throw new AffkitAbortError(`The ${operation} was aborted by its signal`, { code: 'aborted', cause });
    }
    return { status: 'queued', spoolId: await spool.put({ operation, body }) };
  }

  async #deliver<O extends Operation>(
    operation: O,
    checked: CheckedInput,
    options: CallOptions,
  ): Promise<DeliveredOf[O]> {
    const delivered = await send(operation, checked.body, this.#settings, options);
    const result = readResult(operation, delivered);
    reportDelivery(operation, delivered, result, checked, this.#settings);
    return result;
  }
}
