import { CompiledQuery, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import { arrayText } from './row-parameters.ts';
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
 * Is a column of texts one of these? They are one parameter, so that there is one text however many they are. On Postgres
 * an array, for which an index is searched by each; joined to a list, a new table was looked through once for each.
 * @param values must hold no NUL, and no half of a surrogate pair
 */
export function isOneOf(
  { dialect }: Pick<Transaction, 'dialect'>,
  column: string,
  values: readonly string[],
): RawBuilder<SqlBool> {
  return dialect === 'sqlite'
    ? sql`${sql.ref(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`
    : sql`${sql.ref(column)} = ANY(${arrayText(values)}::text[])`;
}

/**
 * Inserts rows in their order.
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
  if (tx.dialect === 'sqlite') return await insertGroups(tx, { table, names, rows, rest });
  const columns = sql.join(names.map((column) => sql.id(column)));
  const inserted = await sql<Result>`
    INSERT INTO ${sql.table(table)} (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::${sql.table(table)}, ${JSON.stringify(rows)}::json)
    ${rest}`.execute(tx.db);
  return inserted.rows;
}

/** On SQLite rows are values: it takes three times as long to read them from JSON, and Kysely as long to write them. */
async function insertGroups<Result>(
  tx: Transaction,
  insert: {
    readonly table: keyof Schema;
    readonly names: readonly string[];
    readonly rows: readonly Row[];
    readonly rest: RawBuilder<unknown>;
  },
): Promise<Result[]> {
  const { table, names, rows } = insert;
  const rest = insert.rest.compile(tx.db);
  const into = `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')})`;
  const row = `(${names.map(() => '?').join(', ')})`;
  const results: Result[] = [];
  for (const group of groupRows(rows)) {
    const values = group.flatMap((one) => names.map((name) => one[name] ?? null));
    const statement = `${into} ${valuesOf(row, group.length)} ${rest.sql}`;
    const inserted = await tx.db.executeQuery<Result>(
      CompiledQuery.raw(statement, [...values, ...rest.parameters]),
    );
    results.push(...inserted.rows);
  }
  return results;
}

const ROWS_AT_ONCE = 16;

/** Rows by as many as a statement for several has, then one by one: a table has two statements, however many there are. */
export function* groupRows<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; ) {
    const count = rows.length - from < ROWS_AT_ONCE ? 1 : ROWS_AT_ONCE;
    yield rows.slice(from, from + count);
    from += count;
  }
}

/** @param row the placeholders of one */
export function valuesOf(row: string, count: number): string {
  return `VALUES ${Array<string>(count).fill(row).join(', ')}`;
}

function extract(column: string): RawBuilder<unknown> {
  return sql`value ->> ${sql.lit(column)} AS ${sql.id(column)}`;
}
