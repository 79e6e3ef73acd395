import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A Postgres server of the cluster, on the loopback interface. */
export interface CitusNode {
  readonly name: string;
  readonly port: number;
  /** The data folder of the server. */
  readonly data: string;
}

/** A cluster, as described by a file in its folder. The servers may be stopped. */
export interface CitusCluster {
  readonly folder: string;
  readonly binaries: string;
  readonly password: string;
  readonly coordinator: CitusNode;
  readonly workers: readonly CitusNode[];
}

export interface ClusterOptions {
  /** A folder for the data of all servers. It is created if it is missing. */
  readonly folder: string;
  /** The folder that contains `initdb`, `pg_ctl`, and `psql` of a Postgres with Citus. */
  readonly binaries: string;
  /** The ports of the coordinator and of each worker. */
  readonly ports: readonly [coordinator: number, ...workers: number[]];
  /** Settings of all servers, in addition to `SETTINGS`. */
  readonly settings?: Readonly<Record<string, string>>;
}

const HOST = '127.0.0.1';
const DESCRIPTION = 'cluster.json';

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: HOST,
  // No sockets, because the path of a socket in a data folder can be too long.
  unix_socket_directories: '',
  shared_preload_libraries: 'citus',
  shared_buffers: '32MB',
  max_connections: '300',
  jit: 'off',
  // A transaction that writes on several servers is a prepared transaction on each of them.
  max_prepared_transactions: '600',
  // How often the coordinator finishes two-phase commits that a crash interrupted. The default is a minute.
  'citus.recover_2pc_interval': '2s',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.enable_statistics_collection': 'off',
};

/**
 * Creates the servers of a cluster and starts them. They keep running when this process ends.
 * @throws Error when the folder already contains a cluster
 */
export function createCluster({ folder, binaries, ports, settings = {} }: ClusterOptions): CitusCluster {
  if (existsSync(join(folder, DESCRIPTION))) throw new Error(`${folder} already contains a cluster`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  own(folder);
  const [coordinator, ...workers] = ports;
  const node = (name: string, port: number): CitusNode => ({ name, port, data: join(folder, name) });
  const cluster: CitusCluster = {
    folder,
    binaries,
    password: randomBytes(16).toString('hex'),
    coordinator: node('coordinator', coordinator),
    workers: workers.map((port, index) => node(`worker-${index + 1}`, port)),
  };
  const passwordFile = writePrivate(join(folder, 'password'), cluster.password);
  // The servers read this file when they connect to each other.
  writePrivate(join(folder, 'pgpass'), `*:*:*:postgres:${cluster.password}\n`);
  for (const { port, data } of nodesOf(cluster)) {
    run(binaries, 'initdb', [
      `--pgdata=${data}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=icu',
      '--icu-locale=en-US',
      '--no-sync',
    ]);
    const lines = Object.entries({ ...SETTINGS, ...settings, port: String(port) });
    writePrivate(
      join(data, 'postgresql.auto.conf'),
      lines.map(([name, value]) => `${name} = '${value}'\n`).join(''),
    );
  }
  writePrivate(join(folder, DESCRIPTION), JSON.stringify(cluster));
  startCluster(cluster);
  return cluster;
}

/** Reads the description of the cluster in a folder. @returns undefined if there is none */
export function readCluster(folder: string): CitusCluster | undefined {
  const path = join(folder, DESCRIPTION);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as CitusCluster) : undefined;
}

export function nodesOf(cluster: CitusCluster): CitusNode[] {
  return [cluster.coordinator, ...cluster.workers];
}

/** Returns a connection URL for the superuser. */
export function urlOf({ password }: CitusCluster, { port }: CitusNode, database = 'postgres'): string {
  return `postgres://postgres:${password}@${HOST}:${port}/${database}`;
}

/** Starts the servers that are not running, and registers the workers for the database `postgres`. */
export function startCluster(cluster: CitusCluster): void {
  for (const node of nodesOf(cluster)) startNode(cluster, node);
  registerWorkers(cluster);
}

/** Starts a server unless it is already running, and waits until it accepts connections. */
export function startNode({ binaries, folder }: CitusCluster, { name, data }: CitusNode): void {
  if (isRunning(binaries, data)) return;
  const args = ['start', '--wait', '--silent', `--pgdata=${data}`, `--log=${data}.log`];
  try {
    run(binaries, 'pg_ctl', args, { PGPASSFILE: join(folder, 'pgpass') });
  } catch (cause) {
    throw new Error(`The Postgres server ${name} did not start. See its log: ${data}.log`, { cause });
  }
}

/** Stops the running servers. They roll back open transactions and close connections. */
export function stopCluster(cluster: CitusCluster): void {
  for (const { data } of nodesOf(cluster)) {
    if (!isRunning(cluster.binaries, data)) continue;
    run(cluster.binaries, 'pg_ctl', ['stop', '--wait', '--silent', '--mode=fast', `--pgdata=${data}`]);
  }
}

/** Stops the servers and deletes the cluster's folder. */
export function deleteCluster(cluster: CitusCluster): void {
  stopCluster(cluster);
  rmSync(cluster.folder, { recursive: true, force: true });
}

function registerWorkers(cluster: CitusCluster): void {
  for (const node of nodesOf(cluster)) query(cluster, node, 'CREATE EXTENSION IF NOT EXISTS citus');
  const { coordinator, workers } = cluster;
  const calls = [
    `SELECT citus_set_coordinator_host('${HOST}', ${coordinator.port})`,
    ...workers.map(({ port }) => `SELECT citus_add_node('${HOST}', ${port})`),
  ];
  query(cluster, coordinator, calls.join(';'));
}

function query(cluster: CitusCluster, node: CitusNode, statements: string): void {
  run(
    cluster.binaries,
    'psql',
    ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--command=${statements}`, '--dbname=postgres'],
    { PGHOST: HOST, PGPORT: String(node.port), PGUSER: 'postgres', PGPASSWORD: cluster.password },
  );
}

function isRunning(binaries: string, data: string): boolean {
  const { status } = spawnSync(join(binaries, 'pg_ctl'), ['status', `--pgdata=${data}`], serverUser());
  return status === 0;
}

function run(
  binaries: string,
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): void {
  // `pg_ctl` gets no pipe. The servers that it starts would keep the pipe open, and `spawnSync` would never return.
  const { status, error, stderr } = spawnSync(join(binaries, name), args, {
    ...serverUser(),
    cwd: '/',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', name === 'pg_ctl' ? 'ignore' : 'pipe'],
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) {
    throw new Error(`${name} failed with exit code ${status}. ${stderr ?? ''}`.trim());
  }
}

function writePrivate(path: string, text: string): string {
  writeFileSync(path, text, { mode: 0o600 });
  own(path);
  return path;
}

function own(path: string): void {
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** Postgres refuses to run as root. If this process is root, the servers run as `postgres`, or else as `nobody`. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].map((name) => users.find(([user]) => user === name)).find(Boolean);
  if (!found) throw new Error('Postgres refuses to run as root. Run this script as another user');
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** Where packages of Linux distributions install Postgres. */
const PACKAGED = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin'];

/**
 * Finds a Postgres with Citus: in the folder `CITUS_BIN`, or else on the `PATH` and where packages install it.
 * @throws Error when there is no Postgres with Citus
 */
export function findCitus(env: NodeJS.ProcessEnv = process.env): string {
  const chosen = env['CITUS_BIN'];
  const folders = chosen ? [chosen] : [...(env['PATH'] ?? '').split(delimiter), ...globSync(PACKAGED)];
  const found = folders.find(hasCitus);
  if (found !== undefined) return found;
  throw new Error(
    `${chosen ? `CITUS_BIN contains no Postgres with Citus: ${chosen}.` : 'No Postgres with Citus was found.'} ` +
      'Install both (https://docs.citusdata.com/en/stable/installation/multi_node.html), or build Citus from its sources ' +
      'with deploy/citus/build. Then set CITUS_BIN to the folder that contains initdb.',
  );
}

function hasCitus(binaries: string): boolean {
  if (binaries === '' || !existsSync(join(binaries, 'initdb'))) return false;
  const { stdout } = spawnSync(join(binaries, 'pg_config'), ['--pkglibdir'], { encoding: 'utf8' });
  return existsSync(join((stdout ?? '').trim(), 'citus.so'));
}
