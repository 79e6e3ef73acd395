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
  await expect(engine.migrate()).rejects.toThrow('The encoding of the database must be UTF8, got LATIN1.');
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

test('in a session that cannot write, verifyLedger reports a changed balance over all programs', async () => {
  const { url, run } = await makeDatabase();
  const world = await makeWorld(postgresEngine({ connectionString: url.href }));
  const click_id = await world.click('anna');
  await world.track('sale', { transaction_id: 't', amount_cents: 1999, click_id });
  await world.affkit.close();
  await run('UPDATE balances SET balance_cents = 7 WHERE program_id = 0');
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const engine = postgresEngine({ connectionString: url.href });
  const { fault } = await verifyLedger({ engine }, null);
  expect(fault).toContain('its balance over all programs in USD is 7, expected');
  await engine.close();
});

/** Removes a migration that changes a table, so that the next start applies it again. */
async function revertLinkTotals(run: (statement: string) => Promise<unknown>): Promise<void> {
  await run(`ALTER TABLE links DROP COLUMN landing_path, DROP COLUMN sub_id`);
  await run('DROP TABLE link_totals, link_total_progress');
  await run(`DELETE FROM affkit_migrations WHERE name = '0039-link-totals'`);
}

test('a migration that waits for a long read does not block other reads, and succeeds afterwards', async () => {
  const { url, run } = await makeDatabase();
  const connectionString = url.href;
  const engine = postgresEngine({ connectionString, migrationLockTimeoutMs: 100 });
  const reader = openPool({ connectionString, max: 1 });
  onTestFinished(async () => {
    await engine.close();
    await reader.end();
  });
  await engine.migrate();
  await revertLinkTotals(run);
  await reader.query('BEGIN');
  await reader.query('SELECT 1 FROM links');
  const waits: string[] = [];
  const blocked = new Promise<void>((resolve) => {
    void engine
      .migrate((reason) => {
        waits.push(reason.message);
        resolve();
      })
      .then(() => waits.push('migrated'));
  });
  await run('SET statement_timeout = 20000');
  // If an ALTER TABLE were waiting for the reader, these reads would wait for it too.
  for (let count = 0; count < 20; count++) await run('SELECT 1 FROM links');
  await blocked;
  await reader.query('COMMIT');
  await expect.poll(() => waits.at(-1)).toBe('migrated');
  expect(waits[0]).toContain('0039-link-totals');
  await run('SELECT landing_path FROM links');
});

test('a migration that gets no lock fails, names the session, and changes nothing', async () => {
  const { url, run } = await makeDatabase();
  const connectionString = url.href;
  const engine = postgresEngine({ connectionString, migrationLockTimeoutMs: 50, migrationTimeoutMs: 300 });
  const reader = openPool({ connectionString, max: 1, application_name: 'long report' });
  onTestFinished(async () => {
    await engine.close();
    await reader.end();
  });
  await engine.migrate();
  await revertLinkTotals(run);
  await reader.query('BEGIN');
  const { rows } = await reader.query<{ pid: number }>(
    'SELECT pg_backend_pid() AS pid FROM links RIGHT JOIN (SELECT 1) AS t ON TRUE',
  );
  await expect(engine.migrate()).rejects.toThrow(
    `Start again after these sessions have ended: ${rows[0]?.pid} (long report)`,
  );
  await expect(run('SELECT 1 FROM link_totals')).rejects.toThrow('does not exist');
  await reader.query('COMMIT');
  await engine.migrate();
  await run('SELECT 1 FROM link_totals');
});
