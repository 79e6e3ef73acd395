import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { sqliteEngine } from '../../src/storage/engine/sqlite.ts';

const PROCESSES = 4;
const ROUNDS = 40;

test('four processes that start at once on a new SQLite file migrate it once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-migrate-'));
  const script = fileURLToPath(new URL('./migrate-process.ts', import.meta.url));
  const children = Array.from({ length: PROCESSES }, () => {
    const child = spawn(process.execPath, ['--conditions=@affkit/source', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return { child, answers: createInterface({ input: child.stdout }) };
  });
  for (let round = 0; round < ROUNDS; round++) {
    const path = join(folder, `round-${round}.db`);
    const answers = children.map(({ answers }) => once(answers, 'line'));
    for (const { child } of children) child.stdin.write(`${path}\n`);
    expect(await Promise.all(answers)).toEqual(children.map(() => ['migrated']));

    const engine = sqliteEngine({ path });
    const applied = await engine.read.executeQuery(CompiledQuery.raw('SELECT name FROM affkit_migrations'));
    const names = applied.rows.map((row) => (row as { name: string }).name);
    expect(names).toContain('0001-tracking');
    expect(new Set(names).size).toBe(names.length);
    await engine.close();
  }
  for (const { child } of children) child.stdin.end();
  await Promise.all(children.map(({ child }) => once(child, 'close')));
  rmSync(folder, { recursive: true });
});
