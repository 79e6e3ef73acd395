import type { Transaction } from '../storage/database/engine/engine.ts';
import { findCustomer } from '../storage/tracking/customers.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';

/**
 * Whether a stored sale names an unconfirmed customer key: no request with the tracking token has confirmed that the
 * key belongs to the customer of the sale. A partner could have claimed the key in a browser, so the commission needs a
 * review.
 */
export async function namesUnverifiedKey(
  tx: Transaction,
  sale: Pick<SaleRow, 'program_id' | 'customer_key'>,
  customerId: number,
): Promise<boolean> {
  if (sale.customer_key === null) return false;
  const customer = await findCustomer(tx, sale.program_id, customerId);
  return customer?.customer_key !== sale.customer_key || customer.key_state !== 'verified';
}
