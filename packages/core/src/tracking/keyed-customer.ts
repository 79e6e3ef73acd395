import type { KeyedCustomer } from '../domain/attribution.ts';
import type { CustomerRow } from '../storage/customers.ts';

/** A customer's row as attribution sees it. */
export interface KeyedRow extends KeyedCustomer {
  readonly row: CustomerRow;
}

export function toKeyed(row: CustomerRow | null): KeyedRow | null {
  return row && { id: row.id, customerKey: row.customer_key, keyState: row.key_state, row };
}
