import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { secretContract } from '../accounts/secret-contract.ts';
import { createDatabase, dropDatabase } from '../support/postgres-server.ts';
import { SECRET } from '../support/world.ts';

let connectionString: string;
beforeEach(async () => {
  connectionString = await createDatabase(inject('postgresUrl'));
});
afterEach(() => dropDatabase(connectionString));

const open = () => postgresEngine({ connectionString });

test('tells the caller to migrate when the database has no tables', async () => {
  const affkit = createAffkit({ engine: open(), secret: SECRET });
  await expect(affkit.ensureFirstOwner({ email: 'you@shop.example' })).rejects.toThrow(
    'The database has no Affkit tables yet. Call affkit.migrate() first.',
  );
  await affkit.close();
});

describe('the secret of a service on Postgres', () => secretContract(open));
