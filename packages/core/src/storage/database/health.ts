import { sql } from 'kysely';
import type { Engine } from './engine/engine.ts';
import type { Dialect } from './migrations/dialect.ts';
import { type MigrationState, readMigrationState } from './migrations/migrate.ts';

/** The state of the database server, for an operator. */
export interface DatabaseHealth {
  readonly dialect: Dialect;
  /** The version of SQLite or of the Postgres server, such as `17.4`. */
  readonly version: string;
  /** How far the clock of the database is ahead of the clock of this process. Negative if it is behind. */
  readonly clockOffsetMs: number;
  /** The maximum error of `clockOffsetMs`: half of the time that the query took. */
  readonly clockErrorMs: number;
  readonly migrations: MigrationState;
  /**
   * The values of settings that decide whether a commit survives a crash. The key is the setting's name. Does not
   * include `synchronous_commit` of Postgres or `synchronous` of SQLite, because the engine itself sets them.
   */
  readonly durability: Readonly<Record<string, string>>;
}

/** Reads the state of the database without changing it. Works even before the first migration. */
export async function readDatabaseHealth({ engine }: { readonly engine: Engine }): Promise<DatabaseHealth> {
  const { dialect } = engine;
  return {
    dialect,
    ...(await readVersionAndClock(engine)),
    migrations: await readMigrationState(engine.read, dialect),
    durability: await readDurability(engine),
  };
}

/**
 * Commits `count` small writes, and returns how long each took, in milliseconds. The writes do not change any
 * value.
 * @throws Error when the database has not been migrated
 */
export async function measureCommits(
  { engine }: { readonly engine: Engine },
  count: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await engine.write(0, (tx) =>
      tx.db
        .updateTable('service_settings')
        .set((eb) => ({ value: eb.ref('value') }))
        .execute(),
    );
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function readVersionAndClock({ dialect, read }: Engine) {
  const query =
    dialect === 'sqlite'
      ? sql<{ version: string; now: number }>`SELECT sqlite_version() AS version,
          CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS now`
      : sql<{ version: string; now: number }>`SELECT current_setting('server_version') AS version,
          (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;
  // The first query may open a connection. The time that this takes would look like a difference between the clocks.
  await query.execute(read);
  const before = Date.now();
  const { rows } = await query.execute(read);
  const after = Date.now();
  const row = rows[0];
  if (!row) throw new Error('The database did not return its version');
  return {
    // Linux distributions append their own version, as in `17.4 (Debian 17.4-1)`. Keep only the first part.
    version: row.version.split(' ', 1)[0] ?? row.version,
    clockOffsetMs: Math.round(row.now - (before + after) / 2),
    clockErrorMs: Math.ceil((after - before) / 2),
  };
}

async function readDurability({ dialect, read }: Engine): Promise<Record<string, string>> {
  const query =
    dialect === 'sqlite'
      ? sql<Setting>`SELECT 'journal_mode' AS name, journal_mode AS value FROM pragma_journal_mode`
      : sql<Setting>`SELECT name, setting AS value FROM pg_settings
          WHERE name IN ('fsync', 'full_page_writes') ORDER BY name`;
  const { rows } = await query.execute(read);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

interface Setting {
  readonly name: string;
  readonly value: string;
}

/** The size of a table, including its indexes. */
export interface TableSize {
  readonly table: string;
  readonly bytes: number;
}

/**
 * Reads the size of each table, largest first. On SQLite, this reads the whole file. On a Citus cluster, the result
 * contains only the tables of the coordinator.
 */
export async function readTableSizes({ dialect, read }: Engine): Promise<TableSize[]> {
  const query =
    dialect === 'sqlite'
      ? sql<TableSize>`SELECT object.tbl_name AS "table", sum(stat.pgsize) AS bytes
          FROM dbstat AS stat JOIN sqlite_master AS object ON object.name = stat.name
          WHERE stat.aggregate = TRUE GROUP BY 1 ORDER BY 2 DESC, 1`
      : // The size of a partitioned table is the sum of its partitions.
        sql<TableSize>`SELECT root.relname AS "table", sum(pg_total_relation_size(part.oid))::bigint AS bytes
          FROM pg_class AS part
          JOIN pg_class AS root ON root.oid = COALESCE(pg_partition_root(part.oid)::oid, part.oid)
          WHERE part.relkind = 'r' AND root.relnamespace = current_schema()::regnamespace
          GROUP BY 1 ORDER BY 2 DESC, 1`;
  return (await query.execute(read)).rows;
}
