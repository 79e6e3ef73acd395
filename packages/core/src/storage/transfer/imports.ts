import { type Kysely, type Selectable, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { insertRows, type Row } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';
import { hasIds, type NumberedTable } from './transfer-table.ts';
import { TRANSFER_TABLES } from './transfer-tables.ts';

/** The difference between the new and the old ids of each table. */
export type IdOffsets = Readonly<Partial<Record<NumberedTable, number>>>;

export interface ProgramImport extends Omit<Selectable<Schema['program_imports']>, 'offsets'> {
  readonly offsets: IdOffsets;
}

export async function findImport(db: Kysely<Schema>, exportId: string): Promise<ProgramImport | null> {
  const row = await db
    .selectFrom('program_imports')
    .selectAll()
    .where('export_id', '=', exportId)
    .executeTakeFirst();
  return row ? { ...row, offsets: JSON.parse(row.offsets) as IdOffsets } : null;
}

/** Lists the programs whose import was not finished at the given time, or is still not finished. */
export async function listProgramsImportedAfter(db: Kysely<Schema>, at: number): Promise<number[]> {
  const rows = await db
    .selectFrom('program_imports')
    .select('program_id')
    .where((eb) => eb.or([eb('finished_at', 'is', null), eb('finished_at', '>', at)]))
    .execute();
  return rows.map((row) => row.program_id);
}

/** Lists the programs that were imported into a workspace from other installations. */
export async function listImportedPrograms(db: Kysely<Schema>, workspaceId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('program_imports')
    .select('program_id')
    .where('workspace_id', '=', workspaceId)
    .where('finished_at', 'is not', null)
    .orderBy('program_id')
    .execute();
  return rows.map((row) => row.program_id);
}

/** Lists the imports into a workspace that are not finished. */
export async function listUnfinishedImports(
  db: Kysely<Schema>,
  workspaceId: number,
): Promise<{ program_id: number; started_at: number }[]> {
  return await db
    .selectFrom('program_imports')
    .select(['program_id', 'started_at'])
    .where('workspace_id', '=', workspaceId)
    .where('finished_at', 'is', null)
    .execute();
}

/** The ids that the rows of a table have in an export. */
export interface IdRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Creates a program from an export, and reserves ids for the rows of the export. The program is marked as deleted until
 * the import is finished, so that nobody sees it, and no event is recorded for it.
 * @param program the exported columns of the program
 * @param ranges the ids of each table that has rows
 */
export async function insertImport(
  tx: Transaction,
  given: { readonly exportId: string; readonly workspaceId: number; readonly program: Row },
  ranges: ReadonlyMap<string, IdRange>,
  now: number,
): Promise<void> {
  const { exportId, workspaceId, program } = given;
  const sourceId = Number(program['id']);
  const offset = await reserveIds(tx, 'programs', { first: sourceId, last: sourceId });
  const programId = sourceId + offset;
  const offsets: Partial<Record<NumberedTable, number>> = {};
  for (const table of TRANSFER_TABLES) {
    const range = ranges.get(table.name);
    if (range && hasIds(table)) offsets[table.name] = await reserveIds(tx, table.name, range);
  }
  await insertRows(tx, 'programs', [
    {
      ...program,
      id: programId,
      workspace_id: workspaceId,
      api_token_masked: '',
      webhook_events: null,
      deleted_at: now,
    },
  ]);
  await tx.db.insertInto('program_shards').values({ program_id: programId }).execute();
  await tx.db
    .insertInto('program_imports')
    .values({
      export_id: exportId,
      workspace_id: workspaceId,
      program_id: programId,
      offsets: JSON.stringify(offsets),
      table_name: null,
      rows_done: 0,
      started_at: now,
      finished_at: null,
    })
    .execute();
}

/**
 * Reserves the ids for the rows of a table. If all ids are higher than every id that the table has ever used, the
 * rows keep their ids.
 * @returns the difference between the new and the old ids
 */
async function reserveIds(
  tx: Transaction,
  table: NumberedTable | 'programs',
  { first, last }: IdRange,
): Promise<number> {
  const used = tx.dialect === 'sqlite' ? await lastIdOnSqlite(tx, table) : await lastIdOnPostgres(tx, table);
  const offset = first > used ? 0 : used + 1 - first;
  const end = last + offset;
  if (tx.dialect === 'postgres') {
    await sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${end})`.execute(tx.db);
  } else {
    await sql`DELETE FROM sqlite_sequence WHERE name = ${table}`.execute(tx.db);
    await sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${table}, ${end})`.execute(tx.db);
  }
  return offset;
}

async function lastIdOnSqlite({ db }: Transaction, table: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`SELECT MAX(
      COALESCE((SELECT seq FROM sqlite_sequence WHERE name = ${table}), 0),
      COALESCE((SELECT MAX(id) FROM ${sql.table(table)}), 0)) AS id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Locks the table, because another session could use the next id before the range is reserved. */
async function lastIdOnPostgres({ db }: Transaction, table: string): Promise<number> {
  await sql`LOCK TABLE ${sql.table(table)} IN SHARE ROW EXCLUSIVE MODE`.execute(db);
  const { rows } = await sql<{ id: number | null }>`
    SELECT pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass) AS id`.execute(db);
  return rows[0]?.id ?? 0;
}

/** Records the progress of an import, in the transaction that stores the rows. */
export async function saveImportProgress(
  { db }: Transaction,
  importId: number,
  table: string,
  rowsDone: number,
): Promise<void> {
  await db
    .updateTable('program_imports')
    .set({ table_name: table, rows_done: rowsDone })
    .where('id', '=', importId)
    .execute();
}

/** Stores the mapping from the partners of an export to partners of this installation. */
export async function insertImportPartners(
  tx: Transaction,
  importId: number,
  partners: readonly { readonly sourceId: number; readonly partnerId: number }[],
): Promise<void> {
  await insertRows(
    tx,
    'program_import_partners',
    partners.map(({ sourceId, partnerId }) => ({
      import_id: importId,
      source_id: sourceId,
      partner_id: partnerId,
    })),
  );
}

/**
 * Loads the partner ids of an import. The result maps the ids in the export to those of this installation, or the
 * other way round if `from` is `partner_id`.
 */
export async function loadImportPartners(
  db: Kysely<Schema>,
  importId: number,
  from: 'source_id' | 'partner_id',
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('program_import_partners')
    .select(['source_id', 'partner_id'])
    .where('import_id', '=', importId)
    .where(from, 'in', [...ids])
    .execute();
  return new Map(
    rows.map((row) =>
      from === 'source_id' ? [row.source_id, row.partner_id] : [row.partner_id, row.source_id],
    ),
  );
}

/**
 * Makes the program of an import visible, and stores the hash of its tracking token.
 * @param program `deletedAt` is the time when the exported program was deleted, or null
 */
export async function finishImport(
  { db }: Transaction,
  one: ProgramImport,
  program: { readonly deletedAt: number | null; readonly tokenHash: string; readonly tokenMasked: string },
  now: number,
): Promise<void> {
  await db
    .insertInto('tracking_tokens')
    .values({ token_hash: program.tokenHash, program_id: one.program_id, created_at: now })
    .execute();
  await db
    .updateTable('programs')
    .set({ deleted_at: program.deletedAt, api_token_masked: program.tokenMasked })
    .where('id', '=', one.program_id)
    .execute();
  await db.updateTable('program_imports').set({ finished_at: now }).where('id', '=', one.id).execute();
}
