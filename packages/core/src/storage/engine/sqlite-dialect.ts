import { type Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Schema } from '../schema.ts';
import { type Execute, engineKysely } from './kysely.ts';

/** Kysely over `execute`, in SQLite's SQL. */
export function sqliteKysely(execute: Execute): Kysely<Schema> {
  return engineKysely(execute, {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  });
}
