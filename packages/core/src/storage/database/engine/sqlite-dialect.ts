import { type Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Schema } from '../schema.ts';
import { type Execute, engineKysely } from './kysely.ts';

/** Kysely over `execute`, in SQLite's SQL. */
export function sqliteKysely(execute: Execute): Kysely<Schema> {
  return engineKysely(execute, {
    createAdapter: () => new Adapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  });
}

/** Kysely would have each query wait for the one before. Whoever runs them, runs them one after the other anyway. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * SQLite plans a statement anew, on each run, where a plan was made with a look at a parameter, as that of most joins is.
 * It takes several times as long as the statement itself. `+?` is the same value, at which it doesn't look.
 */
class Compiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}
