import type { Row } from '../storage/database/rows.ts';
import type { TransferTable } from '../storage/transfer/transfer-table.ts';
import type { TransferManifest } from './manifest.ts';
import { parseRow } from './parse-row.ts';

/** An export whose files were verified. */
export interface ProgramExport {
  readonly manifest: TransferManifest;
  /** Reads the rows of a table, in the order of the export. */
  readRows(table: string): AsyncIterable<unknown>;
}

const BATCH_SIZE = 1_000;

/**
 * Reads the rows of a table in batches.
 * @param skipped the number of rows to leave out at the beginning
 * @throws TransferError when a row does not have exactly the columns of the table
 */
export async function* batchesOf(
  source: ProgramExport,
  table: TransferTable,
  skipped: number,
): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = [];
  let index = 0;
  for await (const value of source.readRows(table.name)) {
    index += 1;
    if (index <= skipped) continue;
    batch.push(parseRow(table, value, index));
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
