import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { Schema } from '../../src/storage/database/schema.ts';
import { createDatabase, dropDatabase, openPool } from '../support/postgres-server.ts';
import { migrationContract } from './migration-contract.ts';

migrationContract('postgres', async () => {
  const connectionString = await createDatabase(inject('postgresUrl'));
  // By default the driver returns 64-bit integers, such as ids, as text.
  const types = { getTypeParser: (oid: number) => (oid === 20 ? Number : pg.types.getTypeParser(oid)) };
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: openPool({ connectionString, types, max: 1 }) }),
  });
  onTestFinished(async () => {
    await db.destroy();
    await dropDatabase(connectionString);
  });
  return db;
});
