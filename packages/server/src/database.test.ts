import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeDatabase, openEngine } from './database.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-database-'));
  // Folders that operators create are usually readable by everyone.
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

test('creates a SQLite database and its WAL files with mode 0600', async () => {
  const engine = await openEngine({ kind: 'sqlite', path: join(folder, 'affkit.db') });
  await engine.migrate();
  const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
  expect(modes).toEqual(['affkit.db', 'affkit.db-shm', 'affkit.db-wal'].map((name) => [name, 0o600]));
  await engine.close();
});

test('keeps the file permissions of an existing SQLite database', async () => {
  const path = join(folder, 'affkit.db');
  await (await openEngine({ kind: 'sqlite', path })).close();
  chmodSync(path, 0o640);
  await (await openEngine({ kind: 'sqlite', path })).close();
  expect(statSync(path).mode & 0o777).toBe(0o640);
});

test.each([
  ['postgres://user:secret@db.example:5433/affkit?password=secret', 'postgres://user@db.example:5433/affkit'],
  ['postgres://user:secret@/affkit?host=/run/postgresql', 'postgres://user@socket/affkit'],
  ['postgres:///affkit?host=/run/postgresql&user=a&password=secret', 'postgres:///affkit'],
])('describes %s without its password', (connectionString, description) => {
  const database = {
    kind: 'postgres',
    connectionString,
    pooler: 'session',
    readConnectionString: undefined,
  } as const;
  expect(describeDatabase(database)).toBe(description);
});
