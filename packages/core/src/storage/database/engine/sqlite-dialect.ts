import { type Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Schema } from '../schema.ts';
import { type Execute, engineKysely } from './kysely.ts';

/** Creates a Kysely instance that compiles queries to SQLite's SQL and runs them with `execute`. */
export function sqliteKysely(execute: Execute): Kysely<Schema> {
  return engineKysely(execute, {
    createAdapter: () => new Adapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  });
}

/** Disables Kysely's own queue, because `execute` already runs queries one after another. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Writes parameters as `+?`, which has the same value as `?`. For most joins, SQLite's planner would use the
 * value of `?` and plan the statement again on each run. Planning takes several times as long as the
 * statement itself. The planner cannot use the value of `+?`.
 */
class Compiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}
