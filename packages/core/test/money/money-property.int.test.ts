import pg from 'pg';
import { inject } from 'vitest';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { createMigratedDatabase } from '../support/postgres-server.ts';
import { moneyProperty } from './money-property.ts';

moneyProperty(
  'Postgres, through two servers',
  async () => {
    const connectionString = await createMigratedDatabase(inject('postgresUrl'));
    await detectDeadlocksFaster(connectionString);
    return [postgresEngine({ connectionString }), postgresEngine({ connectionString })];
  },
  { short: 8, long: 5_000 },
);

/**
 * Batches of two servers can deadlock and are then retried. Postgres detects a deadlock after a second by
 * default.
 */
async function detectDeadlocksFaster(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    `ALTER DATABASE ${new URL(connectionString).pathname.slice(1)} SET deadlock_timeout = '20ms'`,
  );
  await client.end();
}
