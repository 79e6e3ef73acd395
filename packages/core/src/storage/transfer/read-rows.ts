import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Snapshot } from '../database/engine/engine.ts';
import { inlineTable, type Row } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';
import type { ProgramKey, TransferTable } from './transfer-table.ts';
import { PROGRAM_COLUMNS } from './transfer-tables.ts';

const PAGE_SIZE = 1_000;

/** Reads the exported columns of a program's rows, in pages of at most 1,000 rows. */
export async function* readTransferRows(
  db: Kysely<Schema>,
  table: TransferTable,
  program: ProgramKey,
): AsyncGenerator<readonly Row[]> {
  const from = table.source
    ? table.source(program)
    : sql`(SELECT * FROM ${sql.table(table.name)} WHERE program_id = ${program.programId})`;
  for (const { order, where = sql`1 = 1` } of table.passes) {
    const columns = [...new Set([...Object.keys(table.columns), ...order])];
    for (let last: Row | null = null; ; ) {
      const rows = await readPage(
        db,
        sql`SELECT ${sql.join(columns.map((name) => sql.ref(name)))}
        FROM ${from} AS transferred WHERE ${where}`,
        order,
        last,
      );
      if (rows.length > 0) {
        yield rows.map((row) =>
          Object.fromEntries(Object.keys(table.columns).map((name) => [name, row[name] ?? null])),
        );
      }
      if (rows.length < PAGE_SIZE) break;
      last = rows.at(-1) ?? null;
    }
  }
}

/** @param after the last row of the previous page */
async function readPage(
  db: Kysely<Schema>,
  query: RawBuilder<unknown>,
  order: readonly string[],
  after: Row | null,
): Promise<readonly Row[]> {
  const key = sql.join(order.map((name) => sql.ref(name)));
  const isLater = after ? sql`AND (${key}) > (${sql.join(order.map((name) => after[name] ?? null))})` : sql``;
  const { rows } = await sql<Row>`${query} ${isLater} ORDER BY ${key} LIMIT ${sql.lit(PAGE_SIZE)}`.execute(
    db,
  );
  return rows;
}

/** Counts how many of the given pairs the workspace has stored. Each pair consists of two ids of the same payment. */
export async function countPaymentIdPairs(
  snapshot: Snapshot,
  workspaceId: number,
  pairs: readonly Row[],
): Promise<number> {
  const { rows } = await sql<{ pairs: number }>`SELECT COUNT(*) AS pairs
    FROM ${inlineTable(snapshot, 'named', { ref: 'text', other: 'text' }, pairs)}
    JOIN processor_ties AS t ON t.workspace_id = ${workspaceId} AND t.ref = named.ref AND t.other = named.other`.execute(
    snapshot.db,
  );
  return Number(rows[0]?.pairs ?? 0);
}

/** Reads the exported columns of a program. @returns null when it does not exist */
export async function readTransferProgram(db: Kysely<Schema>, programId: number): Promise<Row | null> {
  const row = await db
    .selectFrom('programs')
    .select([...PROGRAM_COLUMNS])
    .where('id', '=', programId)
    .executeTakeFirst();
  return row ?? null;
}

/** Counts the tasks and payout batches that must be finished before a program can be exported. */
export async function countUnfinishedWork(
  db: Kysely<Schema>,
  programId: number,
): Promise<{ readonly tasks: number; readonly batches: number }> {
  const { tasks } = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.countAll<number>().as('tasks'))
    .where('program_id', '=', programId)
    .where('kind', 'in', ['make_commission', 'decide_renewals', 'repair_totals'])
    .executeTakeFirstOrThrow();
  const { batches } = await db
    .selectFrom('payout_batches')
    .select((eb) => eb.fn.countAll<number>().as('batches'))
    .where('program_id', '=', programId)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { tasks, batches };
}
