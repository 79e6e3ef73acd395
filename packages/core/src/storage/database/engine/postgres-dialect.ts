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
import type { PostgresPooler } from './postgres-pooler.ts';

/** The result of one statement, as `pg` returns it. */
export type StatementResult = pg.QueryResult<pg.QueryResultRow>;

const WRITE_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Creates a Kysely instance that compiles queries to Postgres SQL and runs them with `execute`. */
export function postgresKysely(execute: Execute): Kysely<Schema> {
  return engineKysely(execute, {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  });
}

export function toQueryResult({ command, rowCount, rows }: StatementResult): QueryResult<unknown> {
  return WRITE_COMMANDS.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}

const MAX_PREPARED_STATEMENTS = 400;
const MAX_SQL_LENGTH = 8_000;

/**
 * Assigns names to prepared statements. The same SQL has the same name on every connection. Each prepared
 * statement uses server memory on each connection, so the number of names is limited. Long statements get no
 * name, because they contain lists of varying length and are rarely repeated. Behind a pooler in transaction
 * mode, no statement gets a name, because a prepared statement exists only on one server connection.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #maxNames: number;

  constructor(pooler: PostgresPooler) {
    this.#maxNames = pooler === 'session' ? MAX_PREPARED_STATEMENTS : 0;
  }

  /** Returns a statement for `pg`. A statement with a name is prepared once per connection. */
  prepare(text: string, values: readonly unknown[]): pg.QueryConfig<unknown[]> {
    const name = this.#nameOf(text);
    return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] };
  }

  #nameOf(text: string): string | undefined {
    const existing = this.#names.get(text);
    if (existing !== undefined) return existing;
    if (this.#names.size >= this.#maxNames || text.length > MAX_SQL_LENGTH) return undefined;
    const name = `affkit_${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}

/** The parsers by OID of the Postgres type: bool, int8, int2, int4, oid, float4, float8, numeric. */
const PARSERS_BY_OID: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [16, (text) => text === 't'],
  ...[20, 21, 23, 26, 700, 701, 1700].map((oid) => [oid, parseNumber] as const),
]);

/**
 * The type parsers of the engine's clients. They do not depend on the host application's global `pg` parsers.
 */
export const TYPE_PARSERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => PARSERS_BY_OID.get(oid) ?? keepAsText,
};

function keepAsText(text: string): string {
  return text;
}

function parseNumber(text: string): number {
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new RangeError(`The database returned ${text}, which a JavaScript number can't represent exactly`);
}
