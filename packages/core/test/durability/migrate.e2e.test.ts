import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CompiledQuery } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';
import { byDepth } from '../support/test-depth.ts';
import { openDatabase } from './open-database.ts';

const PROCESSES = 4;
const folder = mkdtempSync(join(tmpdir(), 'affkit-migrate-'));

afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Each kind of database with its number of rounds. Postgres has fewer rounds, because its databases take
 * longer to create.
 */
const KINDS = [
  [
    'SQLite file',
    byDepth({ short: 2, long: 40 }),
    async (round: number) => join(folder, `round-${round}.db`),
  ],
  ['Postgres database', byDepth({ short: 1, long: 10 }), () => createDatabase(inject('postgresUrl'))],
] as const;

test.each(KINDS)(
  'four processes that start concurrently apply each migration to a new %s once',
  async (_kind, rounds, create) => {
    const script = fileURLToPath(new URL('./migrate-process.ts', import.meta.url));
    const children = Array.from({ length: PROCESSES }, () => {
      const child = spawn(process.execPath, ['--conditions=@affkit/source', script], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      return { child, answers: createInterface({ input: child.stdout }) };
    });
    for (let round = 0; round < rounds; round++) {
      const database = await create(round);
      const answers = children.map(({ answers }) => once(answers, 'line'));
      for (const { child } of children) child.stdin.write(`${database}\n`);
      expect(await Promise.all(answers)).toEqual(children.map(() => ['migrated']));

      const engine = openDatabase(database);
      const applied = await engine.read.executeQuery(CompiledQuery.raw('SELECT name FROM affkit_migrations'));
      const names = applied.rows.map((row) => (row as { name: string }).name);
      expect(names).toContain('0001-tracking');
      expect(new Set(names).size).toBe(names.length);
      await engine.close();
    }
    for (const { child } of children) child.stdin.end();
    await Promise.all(children.map(({ child }) => once(child, 'close')));
  },
);
