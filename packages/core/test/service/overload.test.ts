import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { overloadContract } from './overload-contract.ts';

overloadContract('a SQLite file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-overload-'));
  const path = join(folder, 'affkit.db');
  return {
    engine: sqliteEngine({ path, busyTimeoutMs: 600_000 }),
    lock: async () => {
      const other = new BetterSqlite3(path);
      other.exec('BEGIN IMMEDIATE');
      return async () => void other.close();
    },
    remove: async () => rmSync(folder, { recursive: true }),
  };
});
