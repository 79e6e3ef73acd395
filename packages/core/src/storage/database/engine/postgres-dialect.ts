import {
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import type { Schema } from '../schema.ts';
import { type Execute, engineKysely } from './kysely.ts';

/** What `pg` answers to one statement. */
export type Answer = pg.QueryResult<pg.QueryResultRow>;

const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Kysely over `execute`, in SQL of Postgres. */
export function postgresKysely(execute: Execute): Kysely<Schema> {
  return engineKysely(execute, {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  });
}

/** The answer as Kysely wants it. */
export function toQueryResult({ command, rowCount, rows }: Answer): QueryResult<unknown> {
  return WRITES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}

const MAX_STATEMENTS = 400;
const MAX_SQL_LENGTH = 8_000;

/**
 * Names of prepared statements, the same for the same SQL on every connection. Each costs memory of the server on
 * each connection, so only so many are named; long texts come from lists of many lengths and hardly repeat.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** A statement for `pg`, prepared once per connection. */
  prepare(text: string, values: readonly unknown[]): pg.QueryConfig<unknown[]> {
    const name = this.#nameOf(text);
    return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] };
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_STATEMENTS || text.length > MAX_SQL_LENGTH) return undefined;
    const name = `affkit_${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}

/** Types of Postgres by their oid: bool, int8, int2, int4, oid, float4, float8, numeric. */
const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'],
  ...[20, 21, 23, 26, 700, 701, 1700].map((oid) => [oid, parseNumber] as const),
]);

/** Parsers of this client alone: the embedding application's own global ones neither change nor matter. */
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => PARSERS.get(oid) ?? keepText,
};

function keepText(text: string): string {
  return text;
}

function parseNumber(text: string): number {
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new RangeError(`The database holds ${text}, which a number can't hold exactly`);
}
