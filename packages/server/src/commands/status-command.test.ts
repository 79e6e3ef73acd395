import { sqliteEngine } from '@affkit/core/sqlite';
import { expect, test } from 'vitest';
import { memoryKinds } from '../../../core/test/support/engine-kinds.ts';
import { makeWorld } from '../../../core/test/support/world.ts';
import { captureCommand } from '../../test/run-cli.ts';
import { runStatus } from './status-command.ts';

async function run(engine: Parameters<typeof runStatus>[0], json: boolean) {
  const { code, stdout } = await captureCommand(() => runStatus(engine), { json });
  return { code, stdout };
}

test('prints lines for people and JSON for scripts', async () => {
  const [open] = Object.values(memoryKinds);
  if (!open) throw new Error('There is no database in memory');
  const world = await makeWorld(await open());
  try {
    await world.click('anna');
    const { code, stdout } = await run(world.engine, false);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^Affkit \d+\.\d+\.\d+/),
      expect.stringMatching(/^Database: SQLite \d+\.\d+\.\d+$/),
      expect.stringMatching(/^Migrations: \d+ applied, 0 pending$/),
      expect.stringMatching(/^Tables: .+ KiB, the largest are .+ KiB$/),
      'Outbox: 0 waiting, 0 failing',
      'Jobs: 0 emails, 0 unsealed ledger entries, 0 payments and 0 payouts in progress',
      'Dead letters: 0 emails, 0 payouts with an unknown outcome',
      expect.stringMatching(
        /^Program \d+ \(Shop program\): last click 2026-06-15T12:00:00\.000Z, lead never, sale never; in 24 hours /,
      ),
      '',
    ]);
    expect(JSON.parse((await run(world.engine, true)).stdout)).toMatchObject({
      database: { dialect: 'sqlite' },
      data: {
        backlog: { outbox: { oldestAt: null } },
        programs: [{ lastAt: { click: '2026-06-15T12:00:00.000Z', lead: null, sale: null } }],
      },
    });
  } finally {
    await world.affkit.close();
  }
});

test('says that a database without tables must be migrated', async () => {
  const engine = sqliteEngine({ path: ':memory:' });
  expect(await run(engine, false)).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /Migrations: 0 applied, \d+ pending\nRun affkit migrate, or start the server\./,
    ),
  });
  expect(JSON.parse((await run(engine, true)).stdout)).toMatchObject({ data: null });
  await engine.close();
});
