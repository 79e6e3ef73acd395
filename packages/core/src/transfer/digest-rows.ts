import { RowDigest } from '../domain/row-digest.ts';
import type { Row } from '../storage/database/rows.ts';
import type { TransferTable } from '../storage/transfer/transfer-table.ts';

/**
 * Counts the rows of a table, and computes a digest of the rows. The digest leaves out the columns whose values may
 * differ after an import.
 */
export class RowSummary {
  readonly #digest = new RowDigest();
  readonly #columns: readonly string[];
  #first = Number.POSITIVE_INFINITY;
  #last = 0;
  rows = 0;

  constructor(table: TransferTable) {
    this.#columns = Object.keys(table.columns).filter((column) => !table.volatile.includes(column));
  }

  add(row: Row): void {
    this.rows += 1;
    this.#digest.add(this.#columns.map((column) => row[column] ?? null));
    const id = row['id'];
    if (typeof id !== 'number') return;
    this.#first = Math.min(this.#first, id);
    this.#last = Math.max(this.#last, id);
  }

  get digest(): string {
    return this.#digest.hex();
  }

  get ids(): { first: number; last: number } | null {
    return this.#last === 0 ? null : { first: this.#first, last: this.#last };
  }
}
