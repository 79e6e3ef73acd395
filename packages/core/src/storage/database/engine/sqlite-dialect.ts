import { type Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Schema } from '../schema.ts';
import { type Execute, engineKysely } from './kysely.ts';

/** Creates a Kysely that compiles queries to SQLite's SQL and runs them with `execute`. */
export function sqliteKysely(execute: Execute): Kysely<Schema> {
  return engineKysely(execute, {
    createAdapter: () => new Adapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  });
}

/** Disables Kysely's own queue: `execute` already runs queries one after the other. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Writes parameters as `+?`. If the planner of SQLite has looked at the value of a parameter, as it does for
 * most joins, it plans the statement again on each run. That takes several times as long as the statement
 * itself. The planner does not look at the value of `+?`, which has the same value as `?`.
 */
class Compiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}
