import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type Affkit, createAffkit } from '../src/create-affkit.ts';
import { postgresEngine } from '../src/storage/engine/postgres.ts';
import { createDatabase, dropDatabase } from './postgres-server.ts';
import { SECRET } from './world.ts';

let connectionString: string;
let affkit: Affkit;
beforeEach(async () => {
  connectionString = await createDatabase(inject('postgresUrl'));
  affkit = createAffkit({ engine: postgresEngine({ connectionString }), secret: SECRET });
});
afterEach(async () => {
  await affkit.close();
  await dropDatabase(connectionString);
});

test('a database without tables says what to do', async () => {
  await expect(affkit.ensureFirstOwner({ email: 'you@shop.example' })).rejects.toThrow(
    'The database has no tables of Affkit yet: await affkit.migrate() first',
  );
});
