import { CompiledQuery, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import { arrayText } from './row-parameters.ts';
import type { Schema } from './schema.ts';

type Value = string | number | null;

export type Row = Readonly<Record<string, Value>>;

/**
 * Builds a FROM item with the name `name` from rows that are passed as a single JSON parameter. The statement
 * has the same text and plan for any number of rows. Strings must not contain NUL.
 * @param columns the column names with their types
 */
export function inlineTable(
  { dialect }: Pick<Transaction, 'dialect'>,
  name: string,
  columns: Readonly<Record<string, 'integer' | 'text'>>,
  rows: readonly Row[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const names = Object.keys(columns);
  if (dialect === 'sqlite') {
    return sql`(SELECT ${sql.join(names.map(extractColumn))} FROM json_each(${json})) AS ${sql.id(name)}`;
  }
  const typed = Object.entries(columns).map(
    ([column, type]) => sql`${sql.id(column)} ${sql.raw(type === 'text' ? 'text' : 'bigint')}`,
  );
  return sql`json_to_recordset(${json}::json) AS ${sql.id(name)} (${sql.join(typed)})`;
}

/**
 * Builds the condition that a text column has one of the given values. The values are passed as one
 * parameter. On Postgres, the parameter is an array, so that the planner uses the index for each value. If the
 * statement joined a list of the values instead, Postgres would scan a newly created table once per value.
 * @param values must not contain NUL or unpaired surrogates
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
 * Inserts rows in the given order.
 * @param rest the clauses after the rows, such as `ON CONFLICT …` or `RETURNING …`
 * @returns the rows of the `RETURNING` clause
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
  if (tx.dialect === 'sqlite') return await insertBatches(tx, { table, names, rows, rest });
  const columns = sql.join(names.map((column) => sql.id(column)));
  const inserted = await sql<Result>`
    INSERT INTO ${sql.table(table)} (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::${sql.table(table)}, ${JSON.stringify(rows)}::json)
    ${rest}`.execute(tx.db);
  return inserted.rows;
}

/**
 * Inserts rows with one parameter per value, for SQLite. Reading the rows from JSON, or building the query with Kysely,
 * takes three times as long.
 */
async function insertBatches<Result>(
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
  for (const batch of batchRows(rows)) {
    const values = batch.flatMap((one) => names.map((name) => one[name] ?? null));
    const statement = `${into} ${valuesList(row, batch.length)} ${rest.sql}`;
    const inserted = await tx.db.executeQuery<Result>(
      CompiledQuery.raw(statement, [...values, ...rest.parameters]),
    );
    results.push(...inserted.rows);
  }
  return results;
}

const INSERT_BATCH_SIZE = 16;

/**
 * Splits rows into batches of 16. Each of the remaining rows is a batch of its own. Each table then needs only two
 * prepared statements.
 */
export function* batchRows<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; ) {
    const count = rows.length - from < INSERT_BATCH_SIZE ? 1 : INSERT_BATCH_SIZE;
    yield rows.slice(from, from + count);
    from += count;
  }
}

/** @param row the placeholders of one row */
export function valuesList(row: string, count: number): string {
  return `VALUES ${Array<string>(count).fill(row).join(', ')}`;
}

function extractColumn(column: string): RawBuilder<unknown> {
  return sql`value ->> ${sql.lit(column)} AS ${sql.id(column)}`;
}
