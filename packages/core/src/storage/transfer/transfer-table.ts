import { type RawBuilder, sql } from 'kysely';
import type { Row } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';

/** The tables of a program whose rows have ids. */
export type NumberedTable =
  | 'partners'
  | 'partner_programs'
  | 'links'
  | 'policies'
  | 'policy_versions'
  | 'customers'
  | 'click_events'
  | 'lead_events'
  | 'sales'
  | 'commissions'
  | 'refunds'
  | 'kept_refunds'
  | 'adjustments'
  | 'payouts'
  | 'payout_batches'
  | 'payout_runs'
  | 'trace_notes'
  | 'ledger_entries';

/**
 * The meaning of a column's value, which decides how an import converts the value:
 *
 * - `unchanged`: it stays the same.
 * - the name of a table: the id of a row of this table.
 * - `parts`: the parts of a commission as JSON, which contain ids of policy versions.
 * - `counted`: the id of a link or of a partner. The column `subject` says which.
 */
export type ColumnMeaning = 'unchanged' | 'parts' | 'counted' | NumberedTable;

export interface ProgramKey {
  readonly programId: number;
  readonly workspaceId: number;
}

/** Selects rows of a table, sorted by the columns in `order`. */
interface RowSelection {
  readonly order: readonly string[];
  readonly where?: RawBuilder<unknown>;
}

/** A table of an export, and how an import converts each of its columns. */
export interface TransferTable {
  readonly name: keyof Schema | 'ledger_sums';
  readonly columns: Readonly<Record<string, ColumnMeaning>>;
  /** The columns that get the id of the new program or workspace. */
  readonly owners: readonly ('program_id' | 'workspace_id')[];
  /** Columns that are not exported, with the value that they get in another installation. */
  readonly omitted: Row;
  /** Columns whose values may differ after an import. The digest that verifies the import leaves them out. */
  readonly volatile: readonly string[];
  readonly passes: readonly [RowSelection, ...RowSelection[]];
  /** A query for the rows. @default the rows of the table with the program's id */
  readonly source?: (program: ProgramKey) => RawBuilder<unknown>;
  /** Whether the rows are sums of other rows. Such rows are compared after an import, but never stored. */
  readonly isDerived: boolean;
}

/** Returns columns whose values stay the same. */
export const unchanged = (...names: readonly string[]): Record<string, ColumnMeaning> =>
  Object.fromEntries(names.map((name) => [name, 'unchanged' as const]));

const OF_PROGRAM = ['program_id'] as const;
const BY_ID: TransferTable['passes'] = [{ order: ['id'] }];
/** The events that are not in test mode. */
export const REAL_EVENTS: TransferTable['passes'] = [{ order: ['id'], where: sql`is_test = 0` }];

type TableDefinition = Pick<TransferTable, 'name' | 'columns'> & Partial<TransferTable>;

/** Describes a table. By default, its rows belong to the program and are read by id. */
export function table(given: TableDefinition): TransferTable {
  return {
    owners: OF_PROGRAM,
    omitted: {},
    volatile: [],
    passes: BY_ID,
    isDerived: false,
    ...given,
  };
}

/** Whether the rows of a table have ids. */
export function hasIds(table: TransferTable): table is TransferTable & { name: NumberedTable } {
  return table.columns['id'] === table.name;
}
