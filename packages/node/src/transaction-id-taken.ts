import { AffkitConflictError } from './errors.ts';
import type { LeadResult, RefundResult, SaleResult } from './results.ts';

/**
 * Returns an error if the server did not record a sale because another program uses its `transaction_id`. Returns
 * undefined for every other result. Without a spool, `affkit.sale()` does not throw this error. It resolves with the
 * result, so that the caller can distinguish this case from a failure.
 */
export function transactionIdTakenError(
  result: SaleResult | RefundResult | LeadResult,
): AffkitConflictError | undefined {
  const isTaken =
    result.status === 'duplicate' && 'ownedByCaller' in result && result.ownedByCaller === false;
  if (!isTaken) return undefined;
  const message = 'This transaction_id belongs to another program. Add your own prefix to your ids';
  const { requestId, attempts } = result;
  return new AffkitConflictError(message, { code: 'transaction_id_taken', status: 409, requestId, attempts });
}
