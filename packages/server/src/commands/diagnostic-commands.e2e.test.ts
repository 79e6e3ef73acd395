import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { createMigratedDatabase, dropDatabase } from '../../../core/test/support/postgres-server.ts';
import { prepareDatabase } from '../../test/database-fixture.ts';
import { runHere, spawnCli } from '../../test/run-cli.ts';

const databases: Readonly<Record<string, () => Promise<string>>> = {
  SQLite: async () => {
    const folder = makeTempFolder();
    return join(folder, 'affkit.db');
  },
  Postgres: async () => {
    const url = await createMigratedDatabase(inject('postgresUrl'));
    onTestFinished(() => dropDatabase(url));
    return url;
  },
};

for (const [kind, create] of Object.entries(databases)) {
  test(`with --json, the commands "test-chain", "status", and "why" each print one JSON document on ${kind}`, async () => {
    const { env } = await prepareDatabase(await create());
    const readJson = async (code: number, ...words: string[]) => {
      const ended = await spawnCli(env, ...words, '--json');
      expect(ended).toMatchObject({ code, stderr: '' });
      return JSON.parse(ended.stdout) as unknown;
    };
    expect(await readJson(0, 'test-chain', '1')).toMatchObject({
      programId: 1,
      healthy: true,
      steps: [{ step: 'click' }, { step: 'lead' }, { step: 'sale' }, { step: 'refund' }],
    });
    expect(await readJson(0, 'status')).toMatchObject({
      database: { migrations: { pending: [] } },
      data: { programs: [{ id: 1, lastAt: { click: null } }] },
    });
    expect(await readJson(1, 'why', 'order-1')).toEqual({ id: 'order-1', explanations: [] });
  });
}

test.each([
  [['test-chain'], "missing required argument 'program'"],
  [['test-chain', 'shop'], 'must be the id of a program'],
  [['test-chain', '1', '2'], 'too many arguments'],
  [['status', '7'], 'too many arguments'],
  [['status', '--jso'], 'Did you mean --json?'],
  [['statsu'], 'Did you mean status?'],
])('exits with code 2 for %j', async (words, problem) => {
  expect(await runHere({ DATABASE_URL: 'sqlite:none.db' }, ...words)).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(problem),
  });
});
