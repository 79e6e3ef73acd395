import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../src/storage/engine/engine.ts';
import { sqliteEngine } from '../src/storage/engine/sqlite.ts';

/** An engine on an empty database; what is left of it goes with `close`. */
export type OpenEngine = () => Promise<Engine>;

export const sqliteKinds: Readonly<Record<string, OpenEngine>> = {
  'SQLite in memory': async () => sqliteEngine({ path: ':memory:' }),
  'SQLite on disk': async () => {
    const folder = mkdtempSync(join(tmpdir(), 'affkit-'));
    const engine = sqliteEngine({ path: join(folder, 'test.db') });
    return {
      ...engine,
      close: async () => {
        await engine.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};
