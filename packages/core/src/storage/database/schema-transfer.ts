import type { Generated } from 'kysely';

/** The import of a program from another installation of Affkit. */
export interface ProgramImportTable {
  id: Generated<number>;
  /** The random id of the export. */
  export_id: string;
  workspace_id: number;
  program_id: number;
  /** The difference between new and old ids for each table, as JSON. */
  offsets: string;
  /** The table whose rows are imported next. Null before the first and after the last table. */
  table_name: string | null;
  /** The number of rows of this table that have been stored so far. */
  rows_done: number;
  started_at: number;
  /** Null until everything is stored and verified. */
  finished_at: number | null;
}

/** Maps the id of a partner in the export (`source_id`) to a partner of this installation. */
export interface ProgramImportPartnerTable {
  import_id: number;
  source_id: number;
  partner_id: number;
}
