import type { Resolution } from '../domain/attribution.ts';
import type { CustomerChange, CustomerRow } from '../storage/tracking/customers.ts';

interface BatchCustomer {
  readonly before: CustomerRow;
  now: CustomerRow;
}

/**
 * The customers of a batch of requests. Each request sees the changes that earlier requests of the batch made to
 * the customers. These changes exist only in memory until the caller stores the result of `changes()`.
 */
export class BatchCustomers {
  readonly #entries = new Map<string, BatchCustomer>();
  readonly #byClick = new Map<string, BatchCustomer>();
  readonly #byKey = new Map<string, BatchCustomer>();

  /** @param rows all customers of the batch; must be locked */
  constructor(rows: readonly CustomerRow[]) {
    for (const row of rows) {
      const entry = { before: row, now: row };
      this.#entries.set(inProgram(row.program_id, row.id), entry);
      this.#byClick.set(inProgram(row.program_id, row.click_id), entry);
      if (row.customer_key !== null) this.#byKey.set(inProgram(row.program_id, row.customer_key), entry);
    }
  }

  findByClick(programId: number, clickId: string | undefined): CustomerRow | null {
    return clickId === undefined ? null : (this.#byClick.get(inProgram(programId, clickId))?.now ?? null);
  }

  findByKey(programId: number, customerKey: string | undefined): CustomerRow | null {
    return customerKey === undefined
      ? null
      : (this.#byKey.get(inProgram(programId, customerKey))?.now ?? null);
  }

  /** Changes a customer. To move a key to this customer, first remove it from the other customer. */
  change(customer: CustomerRow, change: Partial<Omit<CustomerRow, 'program_id' | 'id' | 'click_id'>>): void {
    const { program_id: programId, id } = customer;
    const entry = this.#entries.get(inProgram(programId, id));
    if (!entry) throw new Error(`Customer ${id} of program ${programId} was not loaded with the batch`);
    const { customer_key: key } = entry.now;
    entry.now = { ...entry.now, ...change };
    if (entry.now.customer_key === key) return;
    if (key !== null) this.#byKey.delete(inProgram(programId, key));
    if (entry.now.customer_key !== null) this.#byKey.set(inProgram(programId, entry.now.customer_key), entry);
  }

  /**
   * Assigns the customer key of a request. `displaced` is the customer who loses the key, if any. If `storesKey` is
   * true, `customer` then gets the key.
   */
  applyKey(
    { customer, displaced, storesKey }: Resolution<CustomerRow>,
    key: string | undefined,
    keyState: CustomerRow['key_state'],
  ): void {
    if (displaced) this.change(displaced, { customer_key: null, key_state: null });
    if (storesKey) this.change(customer, { customer_key: key ?? null, key_state: keyState });
  }

  /** Returns all customers of the batch, including those without changes. */
  changes(): CustomerChange[] {
    return [...this.#entries.values()].map(({ before, now }) => ({ before, after: now }));
  }
}

function inProgram(programId: number, name: number | string): string {
  return `${programId} ${name}`;
}
