import { callHook } from './hooks.ts';
import type { CheckedInput } from './input/read-input.ts';
import type { Settings } from './options.ts';
import type { LeadDelivered, RefundDelivered, SaleDelivered } from './results.ts';
import type { Operation } from './retry.ts';
import type { Delivered } from './send.ts';

type Facts = Pick<CheckedInput, 'transactionId' | 'isPartialRefund'>;

/** Tells of deliveries that succeeded and yet need somebody's eye. */
export function reportDelivery(
  operation: Operation,
  delivered: Delivered,
  result: SaleDelivered | RefundDelivered | LeadDelivered,
  { transactionId, isPartialRefund }: Facts,
  { logger, hooks }: Pick<Settings, 'logger' | 'hooks'>,
): void {
  const { reply, isDuplicate } = delivered;
  const { requestId, attempts } = result;
  if (!isDuplicate && reply.body === undefined) {
    const fields = { operation, status: reply.status, requestId };
    logger.warn('Affkit recorded an event, but its reply could not be read', fields);
  }
  if (result.status !== 'duplicate') return;
  if ('outcome' in result) {
    // A retry finds the work of the request before it; a first request finds somebody else's.
    if (!isPartialRefund || attempts > 1) return;
    const fields = { transactionId, reason: result.reason, commissionId: result.commissionId, requestId };
    logger.warn('A refund changed nothing: the commission had ended before', fields);
  } else if ('ownedByCaller' in result && result.ownedByCaller === false) {
    logger.error(
      'A sale was NOT recorded: another program holds its transaction_id. Put a prefix of your own before your ids',
      { transactionId, requestId },
    );
    callHook(hooks.onTransactionIdTaken, { transactionId, requestId }, 'onTransactionIdTaken', logger);
  } else if ('identical' in result && result.identical === false) {
    const fields = { transactionId, saleId: result.saleId, requestId };
    logger.warn('A sale was sent again with other data: what was recorded first stands', fields);
  }
}
