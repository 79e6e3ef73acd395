import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { isTransient } from '../storage/database/engine/transient.ts';
import { findProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { findSale, type SaleKey, type SaleRow } from '../storage/tracking/sales.ts';

const APPLY_PARKED_RETRY_MS = 60_000;

/**
 * The operations for parked rows. A row is either a charge with its refunds, or a dispute. It is parked while
 * its sale is unknown.
 */
interface ParkedActions<Row> {
  /** Used in log messages. */
  readonly name: 'refund' | 'dispute';
  apply(program: ProgramAccount, sale: SaleRow, row: Row): Promise<unknown>;
  /** Stores that the row belongs to the sale, without applying it. The row is then no longer parked. */
  assign(row: Row): Promise<unknown>;
  setCheckAt(row: Row, checkAt: number): Promise<unknown>;
}

/**
 * Applies parked rows to a sale. If the program of the sale was deleted, the rows are only assigned to the sale. If a
 * row cannot be applied, for example because the commission of the sale cannot be stored, only the changes for this row
 * are rolled back. A background job then retries the row.
 * @throws a transient database error or `Unavailable`, so that the whole transaction is rolled back
 */
export async function applyParked<Row extends { readonly charge: string }>(
  tx: Transaction,
  runtime: Runtime,
  { programId, saleId }: SaleKey,
  rows: readonly Row[],
  { name, apply, assign, setCheckAt }: ParkedActions<Row>,
): Promise<void> {
  for (const row of rows) {
    try {
      await tx.savepoint(async () => {
        const program = await findProgram(tx.db, programId);
        const sale = program && (await findSale(tx.db, programId, saleId));
        if (program && sale) await apply(program, sale, row);
        // The program of the sale was deleted. If the row stayed parked, the program that the row names could
        // never be deleted.
        else await assign(row);
      });
    } catch (error) {
      if (isTransient(error) || error instanceof Unavailable) throw error;
      const fields = { err: error, charge: row.charge, sale_id: saleId };
      runtime.log.error(fields, `parked ${name} could not be applied; a background job will retry`);
      await setCheckAt(row, runtime.now() + APPLY_PARKED_RETRY_MS);
    }
  }
}
