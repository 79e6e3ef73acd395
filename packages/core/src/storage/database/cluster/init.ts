import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema.ts';
import { arrangeTables } from './arrange.ts';
import { LAYOUT } from './layout.ts';
import { findMisplaced, hasCitus, readTables } from './tables.ts';

/** Thrown when a cluster command cannot run on the database. The message says what to do. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}

export interface InitOptions {
  /**
   * The number of shards of each distributed table. Later calls do not change it.
   * @default four for each worker, at least 8
   */
  readonly shards?: number | undefined;
  /** Whether to move tables that contain rows. While a table is moved, writes to it wait. */
  readonly movesRows: boolean;
  /** Called before each step. `fraction` is the share of the steps that are done, from 0 to 1. */
  readonly onStep: (description: string, fraction: number) => void;
}

interface Engines {
  readonly engine: Engine;
}

/**
 * The default number of shards per worker. Each worker needs at least one shard of a table, so the number of
 * workers can later grow by this factor. More shards would make batches of clicks smaller, because a batch
 * belongs to one shard.
 */
const SHARDS_PER_WORKER = 4;
const MIN_SHARDS = 8;

/**
 * Distributes the tables of a migrated database. If a call fails or the process is killed, the next call continues
 * where it stopped. On a complete cluster, it changes nothing. The role must own the database.
 * @throws ClusterError
 */
export async function initCluster({ engine }: Engines, options: InitOptions): Promise<void> {
  const { workers } = await requireCluster(engine);
  const { read } = engine;
  await requireMigrated(read);
  if (!options.movesRows) await requireEmptyTables(read);
  await engine.changeSchema(limitConnections);
  const { shards = Math.max(MIN_SHARDS, SHARDS_PER_WORKER * workers) } = options;
  await arrangeTables({ ...options, shards, read, run: (step) => engine.changeSchema(step) });
  const remaining = findMisplaced(await readTables(read));
  if (remaining.length > 0) throw new ClusterError(remaining.map(({ message }) => message).join(', '));
}

/** @throws ClusterError unless the database is on the coordinator of a Citus cluster that has workers */
export async function requireCluster({ dialect, read }: Engine): Promise<{ readonly workers: number }> {
  if (dialect !== 'postgres')
    throw new ClusterError('DATABASE_URL must name a Postgres database with Citus.');
  if (!(await hasCitus(read))) {
    throw new ClusterError(
      'The database has no extension "citus". Run CREATE EXTENSION citus on every server, and add the workers with citus_add_node.',
    );
  }
  const { rows } = await sql<{ is_coordinator: boolean; workers: number }>`
    SELECT citus_is_coordinator() AS is_coordinator, count(*) FILTER (
      WHERE groupid <> 0 AND isactive AND shouldhaveshards AND noderole = 'primary') AS workers
    FROM pg_dist_node`.execute(read);
  const [node] = rows;
  if (!node?.is_coordinator) throw new ClusterError('DATABASE_URL must name the coordinator of the cluster.');
  if (node.workers === 0) {
    throw new ClusterError('The cluster has no workers. Add them with citus_add_node.');
  }
  return { workers: Number(node.workers) };
}

/**
 * Lets each session keep one connection to each worker, unless the operator has chosen another number. By
 * default, Citus opens up to 16 connections to each worker for a statement that reads all shards, and then
 * closes them. Opening a connection takes more CPU time than most of these statements.
 */
async function limitConnections(db: Kysely<Schema>): Promise<void> {
  await sql`DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.oid = s.setdatabase
      CROSS JOIN unnest(s.setconfig) AS setting
      WHERE d.datname = current_database() AND s.setrole = 0
        AND setting LIKE 'citus.max_adaptive_executor_pool_size=%')
    THEN
      EXECUTE format('ALTER DATABASE %I SET citus.max_adaptive_executor_pool_size = 1', current_database());
    END IF;
  END $$`.execute(db);
}

async function requireMigrated(db: Kysely<Schema>): Promise<void> {
  const existing = new Set((await readTables(db)).map(({ name }) => name));
  const missing = Object.keys(LAYOUT).filter((table) => !existing.has(table));
  if (missing.length === 0) return;
  throw new ClusterError(
    `The database is not migrated: it has no table ${missing[0]}. Start a server of this version once, then stop it. ` +
      'Then run this command again.',
  );
}

async function requireEmptyTables(db: Kysely<Schema>): Promise<void> {
  const tables = await readTables(db);
  const filled: string[] = [];
  for (const { table, expected } of findMisplaced(tables)) {
    if (!expected || expected.kind === 'local' || expected.kind === 'managed') continue;
    const { rows } = await sql`SELECT FROM ${sql.table(table)} LIMIT 1`.execute(db);
    if (rows.length > 0) filled.push(table);
  }
  if (filled.length === 0) return;
  throw new ClusterError(
    `These tables contain rows: ${filled.join(', ')}. While Citus moves a table, nobody can write to it. ` +
      'Stop the servers, make a backup, and run the command again with --yes.',
  );
}
