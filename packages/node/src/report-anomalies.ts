import { callHook } from './hooks.ts';
import type { CheckedInput } from './input/read-input.ts';
import type { Settings } from './options.ts';
import type { LeadDelivered, RefundDelivered, SaleDelivered } from './results.ts';

type InputFacts = Pick<CheckedInput, 'transactionId' | 'isPartialRefund'>;

/**
 * Logs results that need attention although the call succeeded. Calls `onTransactionIdTaken` if another program uses
 * the transaction id of the sale.
 */
export function reportAnomalies(
  result: SaleDelivered | RefundDelivered | LeadDelivered,
  { transactionId, isPartialRefund }: InputFacts,
  { logger, hooks }: Pick<Settings, 'logger' | 'hooks'>,
): void {
  const { requestId, attempts } = result;
  if (result.status !== 'duplicate') return;
  if ('outcome' in result) {
    // After a retry, do not warn: an earlier request of this call has probably recorded the refund.
    if (!isPartialRefund || attempts > 1) return;
    const { reason, message, commissionId } = result;
    const fields = { transactionId, reason, message, commissionId, requestId };
    logger.warn(
      'The refund changed nothing: the commission was already refunded, reversed or rejected',
      fields,
    );
  } else if ('ownedByCaller' in result && result.ownedByCaller === false) {
    logger.error(
      'The sale was NOT recorded: its transaction_id belongs to another program. Add your own prefix to your ids',
      { transactionId, requestId },
    );
    callHook(hooks, 'onTransactionIdTaken', { transactionId, requestId }, logger);
  } else if ('identical' in result && result.identical === false) {
    const fields = { transactionId, saleId: result.saleId, requestId };
    logger.warn('The sale was already recorded with different data, which this call did not change', fields);
  }
}
