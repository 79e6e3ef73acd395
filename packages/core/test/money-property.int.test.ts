import { inject } from 'vitest';
import { postgresEngine } from '../src/storage/engine/postgres.ts';
import { moneyProperty } from './money-property.ts';
import { createMigratedDatabase } from './postgres-server.ts';

/** The suite runs a part; `AFFKIT_MONEY_RUNS=5000` runs what the guarantee speaks of. */
const RUNS = Number(process.env['AFFKIT_MONEY_RUNS'] ?? 40);

moneyProperty(
  'Postgres, through two servers',
  async () => {
    const connectionString = await createMigratedDatabase(inject('postgresUrl'));
    return [postgresEngine({ connectionString }), postgresEngine({ connectionString })];
  },
  RUNS,
);
