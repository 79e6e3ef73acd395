import type { Database, Statement } from 'better-sqlite3';
import {
  type CompiledQuery,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Schema } from '../schema.ts';
import { type Execute, engineKysely } from './kysely.ts';

/** Prepares each statement once: Kysely's own driver does so for each run. */
export class StatementCache {
  readonly #database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  get(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  run(query: CompiledQuery): QueryResult<unknown> {
    const statement = this.get(query.sql);
    if (statement.reader) return { rows: exact(statement.all(query.parameters)) };
    const { changes, lastInsertRowid } = statement.run(query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }
}

/** The driver rounds what a number can't hold without a word. */
function exact(rows: unknown[]): unknown[] {
  for (const row of rows as object[]) {
    for (const value of Object.values(row)) {
      if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
        throw new RangeError(`The database holds about ${value}, which a number can't hold exactly`);
      }
    }
  }
  return rows;
}

/** Kysely over `execute`, in SQLite's SQL. */
export function sqliteKysely(execute: Execute): Kysely<Schema> {
  return engineKysely(execute, {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  });
}
