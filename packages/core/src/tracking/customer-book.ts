import type { Resolution } from '../domain/attribution.ts';
import type { CustomerChange, CustomerRow } from '../storage/tracking/customers.ts';

interface Entry {
  readonly before: CustomerRow;
  now: CustomerRow;
}

/** The customers that a batch names, as those before in it leave them; nothing is stored by it. */
export class CustomerBook {
  readonly #entries = new Map<string, Entry>();
  readonly #byClick = new Map<string, Entry>();
  readonly #byKey = new Map<string, Entry>();

  constructor(rows: readonly CustomerRow[]) {
    for (const row of rows) {
      const entry = { before: row, now: row };
      this.#entries.set(nameOf(row.program_id, row.id), entry);
      this.#byClick.set(nameOf(row.program_id, row.click_id), entry);
      if (row.customer_key !== null) this.#byKey.set(nameOf(row.program_id, row.customer_key), entry);
    }
  }

  findByClick(programId: number, clickId: string | undefined): CustomerRow | null {
    return clickId === undefined ? null : (this.#byClick.get(nameOf(programId, clickId))?.now ?? null);
  }

  findByKey(programId: number, customerKey: string | undefined): CustomerRow | null {
    return customerKey === undefined ? null : (this.#byKey.get(nameOf(programId, customerKey))?.now ?? null);
  }

  /** A key that another customer has must be taken from that one first. */
  change(customer: CustomerRow, change: Partial<Omit<CustomerRow, 'program_id' | 'id' | 'click_id'>>): void {
    const { program_id: programId, id } = customer;
    const entry = this.#entries.get(nameOf(programId, id));
    if (!entry) throw new Error(`Customer ${id} of program ${programId} is not in the book`);
    const { customer_key: key } = entry.now;
    entry.now = { ...entry.now, ...change };
    if (entry.now.customer_key === key) return;
    if (key !== null) this.#byKey.delete(nameOf(programId, key));
    if (entry.now.customer_key !== null) this.#byKey.set(nameOf(programId, entry.now.customer_key), entry);
  }

  /** Stores the key that the caller named on whom it is resolved to, if it is to be stored. */
  settleKey(
    { customer, displaced, storesKey }: Resolution<CustomerRow>,
    key: string | undefined,
    keyState: CustomerRow['key_state'],
  ): void {
    if (displaced) this.change(displaced, { customer_key: null, key_state: null });
    if (storesKey) this.change(customer, { customer_key: key ?? null, key_state: keyState });
  }

  changes(): CustomerChange[] {
    return [...this.#entries.values()].map(({ before, now }) => ({ before, after: now }));
  }
}

function nameOf(programId: number, name: number | string): string {
  return `${programId} ${name}`;
}
