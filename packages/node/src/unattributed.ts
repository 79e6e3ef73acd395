import { AffkitError } from './errors.ts';
import type { DeliveredByOperation } from './results.ts';
import type { Operation } from './retry.ts';

/**
 * The error codes of events that cannot be attributed, each with the operation that fails with this code.
 * Refunds have no such code: the sale may still arrive, so the refund must fail and be sent again.
 */
const OPERATION_BY_CODE: Readonly<Record<string, Operation>> = {
  lead_customer_not_found: 'lead',
  customer_of_other_program: 'lead',
  sale_customer_not_found: 'sale',
  no_affiliate_attribution: 'sale',
  no_partner_program: 'sale',
  partner_required: 'sale',
};

/** The result of a call whose customer has no partner; undefined if the call failed for another reason. */
export function unattributedResult<O extends Operation>(
  operation: O,
  error: unknown,
): DeliveredByOperation[O] | undefined {
  if (!(error instanceof AffkitError)) return undefined;
  const { status, code, requestId, attempts } = error;
  if (status !== 400 || OPERATION_BY_CODE[code] !== operation) return undefined;
  // The cast is safe: only leads and sales have such codes.
  return { status: 'unattributed', code, requestId, attempts } as DeliveredByOperation[O];
}
