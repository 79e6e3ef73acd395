import { AffkitError } from './errors.ts';
import type { DeliveredByOperation, Unattributed } from './results.ts';
import type { Operation } from './retry.ts';

const LEAD_CODES: ReadonlySet<string> = new Set(['lead_customer_not_found', 'customer_of_other_program']);
const SALE_CODES: ReadonlySet<string> = new Set([
  'sale_customer_not_found',
  'no_affiliate_attribution',
  'no_partner_program',
  'partner_required',
]);

const READERS: {
  readonly [O in Operation]: (error: AffkitError) => DeliveredByOperation[O] | undefined;
} = {
  lead: (error) => readUnattributed(error, LEAD_CODES),
  sale: (error) => readUnattributed(error, SALE_CODES),
  // A refund of an unknown sale may have overtaken its sale, so it must fail and be sent again.
  refund: () => undefined,
};

/** The result of a call whose customer has no partner; undefined if the call failed for another reason. */
export function unattributedResult<O extends Operation>(
  operation: O,
  error: unknown,
): DeliveredByOperation[O] | undefined {
  return error instanceof AffkitError ? READERS[operation](error) : undefined;
}

function readUnattributed(error: AffkitError, codes: ReadonlySet<string>): Unattributed | undefined {
  const { status, code, requestId, attempts } = error;
  if (status !== 400 || !codes.has(code)) return undefined;
  return { status: 'unattributed', code, requestId, attempts };
}
