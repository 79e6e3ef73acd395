import type { Row } from '../storage/database/rows.ts';
import type { IdOffsets } from '../storage/transfer/imports.ts';
import type { ColumnMeaning, TransferTable } from '../storage/transfer/transfer-table.ts';
import { TransferError } from './transfer-error.ts';

/** Converts the ids of an export to those of this installation, or back. */
export interface IdMap {
  /** 1 to convert ids of an export, -1 to convert them back. */
  readonly direction: 1 | -1;
  readonly offsets: IdOffsets;
  /** The converted id of each partner in the rows, by the id before the conversion. */
  readonly partners: ReadonlyMap<number, number>;
}

/** Lists the ids of the partners to which the rows refer. */
export function listPartnerIds(table: TransferTable, rows: readonly Row[]): number[] {
  const found = new Set<number>();
  for (const row of rows) {
    for (const [column, columnMeaning] of Object.entries(table.columns)) {
      const value = row[column];
      if (typeof value === 'number' && tableOf(columnMeaning, row) === 'partners') found.add(value);
    }
  }
  return [...found];
}

export function mapRow(table: TransferTable, row: Row, map: IdMap): Row {
  const mapped = { ...row };
  for (const [column, columnMeaning] of Object.entries(table.columns)) {
    const value = row[column] ?? null;
    if (columnMeaning === 'unchanged' || value === null) continue;
    mapped[column] =
      columnMeaning === 'parts' ? mapParts(value, map) : mapId(tableOf(columnMeaning, row), value, map);
  }
  return mapped;
}

function tableOf(columnMeaning: ColumnMeaning, row: Row): Exclude<ColumnMeaning, 'counted'> {
  if (columnMeaning !== 'counted') return columnMeaning;
  return row['subject'] === 'link' ? 'links' : 'partners';
}

function mapId(table: Exclude<ColumnMeaning, 'counted'>, id: string | number, map: IdMap): number {
  if (table === 'partners') {
    const partnerId = map.partners.get(Number(id));
    if (partnerId === undefined) throw new TransferError(`The export does not contain partner ${id}`);
    return partnerId;
  }
  if (table === 'unchanged' || table === 'parts')
    throw new RangeError(`A column of kind "${table}" does not contain ids`);
  return Number(id) + map.direction * (map.offsets[table] ?? 0);
}

function mapParts(value: string | number, map: IdMap): string {
  // The cast is safe because only `saveCommissions` writes this text.
  const parts = JSON.parse(String(value)) as { policyVersionId: number }[];
  return JSON.stringify(
    parts.map((part) => ({ ...part, policyVersionId: mapId('policy_versions', part.policyVersionId, map) })),
  );
}
