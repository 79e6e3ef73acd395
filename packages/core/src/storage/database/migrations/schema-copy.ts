import { type Kysely, sql } from 'kysely';

/** Excludes SQLite's own tables and indexes, and the table of migrations. */
const IS_IN_SCHEMA = sql`name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'affkit_migrations'`;

/** The statements that create the current schema on SQLite, in the order in which the migrations ran them. */
export type SchemaCopy = readonly string[];

/** Whether the database contains no tables except the table of migrations. */
export async function isEmptySqlite(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM sqlite_master WHERE ${IS_IN_SCHEMA} LIMIT 1`.execute(db);
  return rows.length === 0;
}

/**
 * Reads the statements that create the schema. The copy contains no rows, so migrations must not add rows to an
 * empty database.
 */
export async function copySchema(db: Kysely<unknown>): Promise<SchemaCopy> {
  const { rows } = await sql<{ ddl: string }>`
    SELECT sql AS ddl FROM sqlite_master WHERE sql IS NOT NULL AND ${IS_IN_SCHEMA} ORDER BY rowid`.execute(
    db,
  );
  return rows.map(({ ddl }) => ddl);
}

export async function createSchema(db: Kysely<unknown>, schema: SchemaCopy): Promise<void> {
  for (const statement of schema) await sql.raw(statement).execute(db);
}
