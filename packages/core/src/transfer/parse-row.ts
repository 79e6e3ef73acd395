import type { Row } from '../storage/database/rows.ts';
import type { TransferTable } from '../storage/transfer/transfer-table.ts';
import { PROGRAM_COLUMNS } from '../storage/transfer/transfer-tables.ts';
import type { TransferManifest } from './manifest.ts';
import { TransferError } from './transfer-error.ts';

/**
 * Checks a row of an export.
 * @param index the number of the row in its file, starting at 1
 * @throws TransferError when the row does not have exactly the columns of the table
 */
export function parseRow(table: TransferTable, value: unknown, index: number): Row {
  const row = toRow(value, Object.keys(table.columns));
  if (!row)
    throw new TransferError(
      `Row ${index} of ${table.name} has other columns than this version of Affkit expects`,
    );
  for (const [column, columnMeaning] of Object.entries(table.columns)) {
    const isId = columnMeaning !== 'unchanged' && columnMeaning !== 'parts';
    const cell = row[column] ?? null;
    if (isId && cell !== null && !isRowId(cell)) {
      throw new TransferError(`Row ${index} of ${table.name}: ${column} is not an id`);
    }
  }
  return row;
}

export function parseProgram({ program }: TransferManifest): Row {
  const row = toRow(program, PROGRAM_COLUMNS);
  if (!row || !isRowId(row['id'] ?? null)) {
    throw new TransferError(
      'The program in the manifest has other columns than this version of Affkit expects',
    );
  }
  return row;
}

function toRow(value: unknown, columns: readonly string[]): Row | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const cells = Object.entries(value);
  const isValid =
    cells.length === columns.length && cells.every(([name, cell]) => columns.includes(name) && isCell(cell));
  return isValid ? (Object.fromEntries(cells) as Row) : null;
}

function isCell(value: unknown): boolean {
  return value === null || typeof value === 'string' || Number.isSafeInteger(value);
}

function isRowId(value: Row[string]): boolean {
  return typeof value === 'number' && value > 0;
}
