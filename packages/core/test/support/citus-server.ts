import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  type CitusCluster,
  type CitusNode,
  createCluster,
  deleteCluster,
  findCitus,
  urlOf,
} from '../../../../deploy/citus/cluster.ts';
import { initCluster } from '../../src/storage/database/cluster/init.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { findFreePorts } from './free-port.ts';
import { startGuard } from './guard.ts';
import { killAll, listChildren } from './processes.ts';
import { findMemoryFolder } from './temp-folder.ts';

/** The number of shards is small, because every test empties all shards. */
const SHARDS = 4;

/** Whether the Postgres tests run on a Citus cluster, as in `npm run test:citus`. */
export const usesCitus = process.env['AFFKIT_TEST_CITUS'] === '1';

export interface CitusServers {
  readonly cluster: CitusCluster;
  /** URL of the coordinator. */
  readonly url: string;
  /** Stops the servers and deletes their files. */
  stop(): void;
}

interface CitusOptions {
  readonly workers: number;
  /** Whether committed data may be lost when the machine crashes. The servers then never wait for the disk. */
  readonly skipFsync: boolean;
}

/** Starts a coordinator and workers whose files are in memory, if possible. */
export async function startCitus({ workers, skipFsync }: CitusOptions): Promise<CitusServers> {
  const folder = mkdtempSync(join(findMemoryFolder(), 'affkit-citus-'));
  const guard = startGuard(KILL_AND_DELETE, folder);
  const cluster = createCluster({
    folder,
    binaries: findCitus(),
    ports: await findFreePorts(workers + 1),
    settings: {
      max_connections: '1000',
      ...(skipFsync ? { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' } : {}),
      synchronous_commit: 'on',
      'citus.max_adaptive_executor_pool_size': '2',
    },
  });
  return {
    cluster,
    url: urlOf(cluster, cluster.coordinator),
    stop: () => {
      deleteCluster(cluster);
      void guard.end();
    },
  };
}

/** Kills the servers of the cluster in the folder `$1`, and deletes the folder. */
const KILL_AND_DELETE = `for file in "$1"/*/postmaster.pid; do
    [ -f "$file" ] && kill -KILL "$(head -n 1 "$file")"
  done
  rm -rf "$1" || { sleep 1; rm -rf "$1"; }`;

const nodeUrls = new Map<string, Promise<readonly string[]>>();

/** Returns the URLs of all servers of a cluster, the coordinator first. Without Citus, it returns only `url`. */
export function listNodes(url: string): Promise<readonly string[]> {
  if (!usesCitus) return Promise.resolve([url]);
  const key = new URL(url).host;
  const known = nodeUrls.get(key) ?? readNodes(url);
  nodeUrls.set(key, known);
  return known;
}

async function readNodes(url: string): Promise<readonly string[]> {
  const { rows } = await query<{ nodename: string; nodeport: number }>(
    withDatabase(url, 'postgres'),
    'SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid',
  );
  return rows.map(({ nodename, nodeport }) => {
    const node = new URL(url);
    node.hostname = nodename;
    node.port = String(nodeport);
    return node.href;
  });
}

/** Runs a statement in the database `database` of each server. */
export async function runOnNodes(url: string, database: string, statement: string): Promise<void> {
  for (const node of await listNodes(url)) await query(withDatabase(node, database), statement);
}

/** Registers the workers for a database that exists on all servers, and distributes the tables of `engine`. */
export async function distributeDatabase(url: string, database: string, engine: Engine): Promise<void> {
  await registerWorkers(url, database);
  await engine.migrate();
  await initCluster({ engine }, { shards: SHARDS, movesRows: false, onStep: () => {} });
}

/** Combines the databases with the same name on all servers into one database of the cluster. */
export async function registerWorkers(url: string, database: string): Promise<void> {
  await runOnNodes(url, database, 'CREATE EXTENSION citus');
  const [coordinator, ...workers] = (await listNodes(url)).map((node) => new URL(node));
  const calls = [
    `SELECT citus_set_coordinator_host('${coordinator?.hostname}', ${coordinator?.port})`,
    ...workers.map(({ hostname, port }) => `SELECT citus_add_node('${hostname}', ${port})`),
  ];
  await query(withDatabase(url, database), calls.join(';'));
}

/** Kills all processes of a server with SIGKILL, and waits until they have exited. */
export async function killNode({ data }: CitusNode): Promise<void> {
  const lockFile = join(data, 'postmaster.pid');
  const pid = Number(readFileSync(lockFile, 'utf8').split('\n')[0]);
  // A stopped process cannot start further child processes.
  process.kill(pid, 'SIGSTOP');
  await killAll([pid, ...listChildren(pid)]);
  // In a container, the killed process may remain as a zombie. If its lock file remained too, Postgres would mistake
  // the zombie for a running server.
  rmSync(lockFile, { force: true });
}

/** Ends all connections to a database on all servers, so that it can be copied. Nobody can connect to it afterwards. */
export async function closeDatabase(url: string, database: string): Promise<void> {
  await runOnNodes(
    url,
    'postgres',
    `UPDATE pg_database SET datallowconn = false WHERE datname = '${database}'`,
  );
  await runOnNodes(
    url,
    'postgres',
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${database}'`,
  );
}

export function withDatabase(url: string, name: string): string {
  const database = new URL(url);
  database.pathname = name;
  return database.href;
}

export async function query<R extends pg.QueryResultRow>(
  url: string,
  statement: string,
): Promise<pg.QueryResult<R>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<R>(statement);
  } finally {
    await client.end();
  }
}
