import pg from 'pg';
import { inject } from 'vitest';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { overloadContract } from './overload-contract.ts';

overloadContract('Postgres', async () => {
  const connectionString = await createMigratedDatabase(inject('postgresUrl'));
  return {
    engine: postgresEngine({ connectionString }),
    lock: async () => {
      const other = new pg.Client({ connectionString });
      await other.connect();
      await other.query('BEGIN; LOCK TABLE click_events, sales IN ACCESS EXCLUSIVE MODE');
      return () => other.end();
    },
    remove: () => dropDatabase(connectionString),
  };
});
