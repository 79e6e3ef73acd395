import { randomBytes } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { dropDatabase, openPool } from '../support/postgres-server.ts';
import { makeWorld } from '../support/world.ts';

const PASSWORD = 'role-password';

/** Creates a database that is dropped after the test. `run` runs a statement as its owner. */
async function makeDatabase(options = '') {
  const url = new URL(inject('postgresUrl'));
  const name = `test_${randomBytes(8).toString('hex')}`;
  const server = openPool({ connectionString: url.href, max: 1 });
  await server.query(`CREATE DATABASE ${name} ${options}`);
  await server.end();
  url.pathname = name;
  const connectionString = url.href;
  const owner = openPool({ connectionString, max: 1 });
  onTestFinished(async () => {
    await owner.end();
    await dropDatabase(connectionString);
  });
  return { name, url, run: (statement: string) => owner.query(statement) };
}

test('migrate rejects a database whose encoding is not UTF8', async () => {
  const { url } = await makeDatabase("ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
  const engine = postgresEngine({ connectionString: url.href });
  await expect(engine.migrate()).rejects.toThrow('The encoding of the database is LATIN1; it must be UTF8');
  await engine.close();
});

test('migrate creates separate tables in each schema of the search path', async () => {
  const { url, run } = await makeDatabase();
  const migrateTo = async (searchPath: string) => {
    url.searchParams.set('options', `-c search_path=${searchPath}`);
    const engine = postgresEngine({ connectionString: url.href });
    await engine.migrate();
    await engine.close();
  };
  await run('CREATE SCHEMA tenant');
  await migrateTo('public');
  await migrateTo('tenant,public');
  const { rows } = await run(
    "SELECT schemaname FROM pg_tables WHERE tablename = 'programs' ORDER BY schemaname",
  );
  expect(rows).toEqual([{ schemaname: 'public' }, { schemaname: 'tenant' }]);
});

test('the service runs with a role that may only read and write rows', async () => {
  const { name, url, run } = await makeDatabase();
  const role = `role_${name}`;
  await run(`CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`);
  onTestFinished(async () => {
    await run(`DROP OWNED BY ${role}`);
    await run(`DROP ROLE ${role}`);
  });
  await run('CREATE SCHEMA tracking');
  url.searchParams.set('options', '-c search_path=tracking');
  const owner = postgresEngine({ connectionString: url.href });
  await owner.migrate();
  await owner.close();
  await run(`GRANT USAGE ON SCHEMA tracking TO ${role}`);
  await run(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tracking TO ${role}`);
  await run(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA tracking TO ${role}`);

  url.username = role;
  url.password = PASSWORD;
  const engine = postgresEngine({ connectionString: url.href });
  const world = await makeWorld(engine);
  const click_id = await world.click('anna');
  // These clicks use the link cache: a single click, and two in a batch.
  await world.click('anna');
  await Promise.all([world.click('anna'), world.click('anna')]);
  const replies = [
    await world.track('lead', { click_id, customer_key: 'user-1' }),
    await world.track('sale', { transaction_id: 't', amount_cents: 1999, customer_key: 'user-1' }),
    await world.track('refund', { transaction_id: 't' }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  await world.affkit.jobs.runOnce();
  expect(await verifyLedger(world.affkit.runtime, null)).toMatchObject({ fault: null, unsealed: 0 });
  await world.affkit.close();
});
