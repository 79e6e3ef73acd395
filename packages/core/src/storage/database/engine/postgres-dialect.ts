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
