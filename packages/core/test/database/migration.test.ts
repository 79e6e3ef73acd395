import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { onTestFinished } from 'vitest';
import type { Schema } from '../../src/storage/database/schema.ts';
import { migrationContract } from './migration-contract.ts';

migrationContract('sqlite', async () => {
  const database = new SQLite(':memory:');
  database.pragma('foreign_keys = ON');
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database }) });
  onTestFinished(() => db.destroy());
  return db;
});
