import { checkTotals } from '../reporting/totals.ts';
import { verifyLedger } from '../reporting/verify-ledger.ts';
import { loadImportPartners, type ProgramImport } from '../storage/transfer/imports.ts';
import { countPaymentIdPairs, readTransferRows } from '../storage/transfer/read-rows.ts';
import type { TransferTable } from '../storage/transfer/transfer-table.ts';
import { TRANSFER_TABLES } from '../storage/transfer/transfer-tables.ts';
import { RowSummary } from './digest-rows.ts';
import type { TransferRuntime } from './export-program.ts';
import { listPartnerIds, mapRow } from './map-ids.ts';
import { batchesOf, type ProgramExport } from './program-export.ts';
import { TransferError } from './transfer-error.ts';

/**
 * Reads everything that an import has stored, converts the ids back, and compares it with the export. Also
 * verifies the ledger and the totals.
 * @throws TransferError when something differs
 */
export async function verifyImport(
  { engine }: TransferRuntime,
  one: ProgramImport,
  source: ProgramExport,
): Promise<void> {
  const program = { programId: one.program_id, workspaceId: one.workspace_id };
  await engine.snapshot(async (db) => {
    for (const table of TRANSFER_TABLES) {
      const expected = source.manifest.files.find((file) => file.table === table.name);
      if (table.name === 'processor_ties') {
        // The processor may have reported further ids of these payments to the workspace.
        let rows = 0;
        for await (const pairs of batchesOf(source, table, 0)) {
          rows += await countPaymentIdPairs({ dialect: engine.dialect, db }, one.workspace_id, pairs);
        }
        requireRows(table, rows, expected?.rows);
        continue;
      }
      const summary = new RowSummary(table);
      for await (const page of readTransferRows(db, table, program)) {
        const partners = await loadImportPartners(db, one.id, 'partner_id', listPartnerIds(table, page));
        const map = { direction: -1, offsets: one.offsets, partners } as const;
        for (const row of page) summary.add(mapRow(table, row, map));
      }
      requireRows(table, summary.rows, expected?.rows);
      if (summary.digest !== expected?.digest) {
        throw new TransferError(
          `After the import, the rows of ${table.name} differ from those of the export`,
        );
      }
    }
  });
  const { fault } = await verifyLedger({ engine }, one.program_id);
  if (fault !== null) throw new TransferError(`After the import, the ledger is not consistent: ${fault}`);
  const [drift] = await checkTotals({ engine }, one.program_id, undefined, 'stored');
  if (drift) {
    throw new TransferError(
      `After the import, the total ${drift.measure} of day ${drift.day} is ${drift.recorded} instead of ${drift.counted}`,
    );
  }
}

function requireRows(table: TransferTable, rows: number, expected: number | undefined): void {
  if (rows === expected) return;
  throw new TransferError(
    `After the import, ${table.name} has ${rows} rows, but the export has ${expected ?? 'none'}`,
  );
}
