import { callHook } from './hooks.ts';
import type { LeadInput, RefundInput, SaleInput, TestSaleInput } from './input/events.ts';
import { readInput } from './input/read-input.ts';
import { type AffkitOptions, type CallOptions, readOptions, type Settings } from './options.ts';
import { readLeadResult, readRefundResult, readSaleResult } from './read-result.ts';
import type { LeadResult, RefundResult, SaleDuplicate, SaleResult } from './results.ts';
import type { Operation } from './retry.ts';
import { type Delivered, send } from './send.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/**
 * The client of one program. Make one and keep it.
 *
 * Every call checks its input, sends it, and repeats it while that can help. It resolves when the server has the
 * event; it throws an `AffkitError` when the server refused it or could not be reached, and then the event is the
 * caller's to send again. That is always safe: a `transaction_id` is recorded once, a customer becomes a lead
 * once, a commission ends once.
 */
export class Affkit {
  /** Verifies webhooks with `webhookSecret`. */
  readonly webhooks: Webhooks;
  readonly #settings: Settings;

  /** Throws an `AffkitConfigurationError` where an option, or the variable in its place, is missing or wrong. */
  constructor(options: AffkitOptions = {}) {
    this.#settings = readOptions(options);
    const { webhookSecret, runtime } = this.#settings;
    this.webhooks = new Webhooks({ secret: webhookSecret, runtime });
  }

  /** Records a completed payment. */
  async sale(input: SaleInput | TestSaleInput, options: CallOptions = {}): Promise<SaleResult> {
    const { delivered, transactionId } = await this.#send('sale', input, options);
    const result = readSaleResult(delivered);
    if (result.status === 'duplicate') this.#report(result, transactionId);
    return result;
  }

  /** Takes back the commission of a recorded sale, whole or in proportion. Only a sale's first refund counts. */
  async refund(input: RefundInput, options: CallOptions = {}): Promise<RefundResult> {
    const { delivered, transactionId, isPartialRefund } = await this.#send('refund', input, options);
    const result = readRefundResult(delivered);
    // A retry finds the work of the request before it; a first request finds somebody else's.
    if (result.status === 'duplicate' && isPartialRefund && result.attempts === 1) {
      const { reason, commissionId, requestId } = result;
      const fields = { transactionId, reason, commissionId, requestId };
      this.#settings.logger.warn('A refund changed nothing: the commission had ended before', fields);
    }
    return result;
  }

  /** Tells that a visitor signed up. */
  async lead(input: LeadInput, options: CallOptions = {}): Promise<LeadResult> {
    const { delivered } = await this.#send('lead', input, options);
    return readLeadResult(delivered);
  }

  /** Where it sends to. It holds no secret. */
  toJSON(): { baseUrl: string } {
    return { baseUrl: this.#settings.baseUrl };
  }

  async #send(operation: Operation, input: unknown, options: CallOptions) {
    const settings = this.#settings;
    const { body, ...facts } = readInput(operation, input, settings.runtime.now());
    const delivered: Delivered = await send(operation, body, settings, options);
    const { reply, isDuplicate } = delivered;
    if (!isDuplicate && reply.body === undefined) {
      const { status, requestId } = reply;
      settings.logger.warn('Affkit recorded an event, but its reply could not be read', {
        operation,
        status,
        requestId,
      });
    }
    return { delivered, ...facts };
  }

  #report({ ownedByCaller, identical, saleId, requestId }: SaleDuplicate, transactionId: string): void {
    const { logger, hooks } = this.#settings;
    if (ownedByCaller === false) {
      logger.error(
        'A sale was NOT recorded: another program holds its transaction_id. Put a prefix of your own before your ids',
        { transactionId, requestId },
      );
      callHook(hooks.onTransactionIdTaken, { transactionId, requestId }, 'onTransactionIdTaken', logger);
    } else if (identical === false) {
      const fields = { transactionId, saleId, requestId };
      logger.warn('A sale was sent again with other data: what was recorded first stands', fields);
    }
  }
}
