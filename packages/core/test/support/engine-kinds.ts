import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { usesCitus } from './citus-server.ts';
import { migratedInMemory, openMigrated } from './migrated-sqlite.ts';
import { throughPooler } from './pgbouncer.ts';
import { createMigratedDatabase, dropDatabase } from './postgres-server.ts';
import { recycle } from './recycled-engine.ts';
import { createRecyclablePostgres } from './recycled-postgres.ts';
import { createRecyclableSqlite } from './recycled-sqlite.ts';
import { findMemoryFolder } from './temp-folder.ts';

/** Opens an engine on an empty, migrated database. `close` also deletes the database. */
export type OpenEngine = () => Promise<Engine>;

/**
 * SQLite in memory differs from SQLite on disk only in that it reads through the write queue. A few contracts run in
 * memory as unit tests, which find most mistakes within seconds.
 */
export const memoryKinds: Readonly<Record<string, OpenEngine>> = {
  'SQLite in memory': recycle(() => createRecyclableSqlite(migratedInMemory)),
};

/** Not available in unit tests, which run without the setup that creates the shared folder. */
export const sqliteKinds: Readonly<Record<string, OpenEngine>> = {
  'SQLite on disk': recycle(async () => {
    const folder = mkdtempSync(join(inject('databaseFolder'), 'sqlite-'));
    return createRecyclableSqlite(
      (createClickStore) => openMigrated(join(folder, 'test.db'), createClickStore),
      () => rmSync(folder, { recursive: true }),
    );
  }),
};

/** Like `sqliteKinds`, but with a new file and new connections, for tests of the engine itself. */
export const newSqliteKinds: Readonly<Record<string, OpenEngine>> = {
  'SQLite on disk': async () => {
    const folder = mkdtempSync(join(findMemoryFolder(), 'affkit-'));
    const engine = await openMigrated(join(folder, 'test.db'));
    return {
      ...engine,
      close: async () => {
        await engine.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/**
 * Uses an empty database on the shared server of the test run. Not available in unit tests, which run without the setup
 * that starts the server.
 */
export const postgresKinds: Readonly<Record<string, OpenEngine>> = {
  Postgres: recycle(() => createRecyclablePostgres(inject('postgresSocketUrl'))),
};

/** The engines on which most contract tests run. SQLite is left out if the tests run through a pooler or on Citus. */
export const engineKinds: Readonly<Record<string, OpenEngine>> = {
  ...(inject('poolerUrl') === undefined && !usesCitus && sqliteKinds),
  ...postgresKinds,
};

/** Like `postgresKinds`, but with new connections, for tests of the engine itself. */
export const newPostgresKinds: Readonly<Record<string, OpenEngine>> = {
  Postgres: async () => {
    const connectionString = await createMigratedDatabase(inject('postgresUrl'));
    const engine = postgresEngine(throughPooler(connectionString));
    return {
      ...engine,
      close: async () => {
        await engine.close();
        await dropDatabase(connectionString);
      },
    };
  },
};
