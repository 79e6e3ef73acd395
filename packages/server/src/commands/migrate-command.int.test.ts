import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { createDatabase, dropDatabase } from '../../../core/test/support/postgres-server.ts';
import { runHere } from '../../test/run-cli.ts';

let folder = '';
let sqliteUrl = '';
beforeEach(() => {
  folder = mkdtempSync(join(inject('databaseFolder'), 'migrate-'));
  sqliteUrl = `sqlite:${folder}/data/affkit.db`;
});
afterEach(() => rmSync(folder, { recursive: true }));

test('on SQLite, creates a private file, and prints each migration; a second run changes nothing', async () => {
  const env = { DATABASE_URL: sqliteUrl };
  const first = await runHere(env, 'migrate');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const lines = first.stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('Applied 0001-tracking');
  const count = lines.length - 1;
  expect(lines.at(-1)).toMatch(
    new RegExp(`^Migrated the database to Affkit [^ ]+: ${count} of ${count} migrations applied$`),
  );
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'data/affkit.db')).mode & 0o777).toBe(0o600);
  expect(await runHere(env, 'migrate')).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(`^Nothing to migrate: the database has all ${count} migrations`),
    ),
    stderr: '',
  });
});

test('on Postgres, two commands at the same time leave a migrated database', async () => {
  const env = { DATABASE_URL: await createDatabase(inject('postgresUrl')) };
  try {
    const results = await Promise.all([runHere(env, 'migrate', '--json'), runHere(env, 'migrate', '--json')]);
    for (const { code, stdout } of results) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        database: { dialect: 'postgres' },
        applied: expect.any(Array),
      });
    }
    const status = JSON.parse((await runHere(env, 'status', '--json')).stdout);
    expect(status.database.migrations).toMatchObject({ pending: [], newer: [] });
    const { applied, total } = JSON.parse((await runHere(env, 'migrate', '--json')).stdout);
    expect(applied).toEqual([]);
    expect(total).toBe(status.database.migrations.applied.length);
  } finally {
    await dropDatabase(env.DATABASE_URL);
  }
});

test('exits with 1 when a newer version has migrated the database', async () => {
  await runHere({ DATABASE_URL: sqliteUrl }, 'migrate');
  const database = new DatabaseSync(`${folder}/data/affkit.db`);
  database.exec("INSERT INTO affkit_migrations (name) VALUES ('9999-future')");
  database.close();
  expect(await runHere({ DATABASE_URL: sqliteUrl }, 'migrate')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('A newer version of Affkit has migrated the database (9999-future)'),
  });
});

test.each([
  [
    "INSERT INTO affkit_migrations (name) VALUES ('9999-future')",
    /^A newer version of Affkit has migrated the database \(9999-future\)\. Run this command with that version\.\n$/,
  ],
  [
    'DELETE FROM affkit_migrations WHERE name = (SELECT max(name) FROM affkit_migrations)',
    /^The database is not migrated to Affkit [^ ]+: 1 migration pending\. Run affkit migrate, or start a server/,
  ],
])(
  'every command but migrate and status refuses a database of another version: %s',
  async (change, reason) => {
    const env = { DATABASE_URL: sqliteUrl };
    await runHere(env, 'migrate');
    const database = new DatabaseSync(`${folder}/data/affkit.db`);
    database.exec(change);
    database.close();
    for (const command of ['totals rebuild', 'ledger verify', 'transaction-ids workspace', 'why order-1'])
      expect(await runHere(env, ...command.split(' '))).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(reason),
      });
    expect(await runHere(env, 'status')).toMatchObject({ code: 0 });
  },
);
