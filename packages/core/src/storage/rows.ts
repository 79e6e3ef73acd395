import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';

type Value = string | number | null;

/** A row by its columns; every row of a list has the same ones. */
export type Row = Readonly<Record<string, Value>>;

/**
 * Rows as one parameter, for a statement that has one text and one plan however many they are: to be selected from,
 * as `name`. Texts must hold no NUL.
 * @param columns with their types
 */
export function rowsAs(
  { dialect }: Pick<Transaction, 'dialect'>,
  name: string,
  columns: Readonly<Record<string, 'integer' | 'text'>>,
  rows: readonly Row[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const names = Object.keys(columns);
  if (dialect === 'sqlite') {
    return sql`(SELECT ${sql.join(names.map(extract))} FROM json_each(${json})) AS ${sql.id(name)}`;
  }
  const typed = Object.entries(columns).map(
    ([column, type]) => sql`${sql.id(column)} ${sql.raw(type === 'text' ? 'text' : 'bigint')}`,
  );
  return sql`json_to_recordset(${json}::json) AS ${sql.id(name)} (${sql.join(typed)})`;
}

/**
 * Inserts rows in their order, by one statement.
 * @param rest what follows the rows: `ON CONFLICT …`, `RETURNING …`
 */
export async function insertRows<Result>(
  tx: Transaction,
  table: keyof Schema,
  rows: readonly Row[],
  rest: RawBuilder<unknown> = sql``,
): Promise<Result[]> {
  const [first] = rows;
  if (!first) return [];
  const names = Object.keys(first);
  const columns = sql.join(names.map((column) => sql.id(column)));
  const json = JSON.stringify(rows);
  const source =
    tx.dialect === 'sqlite'
      ? // Without WHERE, SQLite would take ON CONFLICT for a join's condition.
        sql`SELECT ${sql.join(names.map(extract))} FROM json_each(${json}) WHERE true`
      : sql`SELECT ${columns} FROM json_populate_recordset(NULL::${sql.table(table)}, ${json}::json)`;
  const inserted = await sql<Result>`INSERT INTO ${sql.table(table)} (${columns}) ${source} ${rest}`.execute(
    tx.db,
  );
  return inserted.rows;
}

function extract(column: string): RawBuilder<unknown> {
  return sql`value ->> ${sql.lit(column)} AS ${sql.id(column)}`;
}
