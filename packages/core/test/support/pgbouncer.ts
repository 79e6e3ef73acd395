import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { PostgresOptions } from '../../src/storage/postgres.ts';
import { findFreePort } from './free-port.ts';
import { findOtherUser } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of PgBouncer in transaction mode. Set only in projects whose engines connect through it. */
    poolerUrl?: string;
  }
}

export interface PgBouncer {
  /** URL of a database of the server, through the pooler. */
  url(database?: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode in front of the server of `serverUrl`. PgBouncer refuses to run as
 * root. If this process runs as root, it starts PgBouncer as another user. PgBouncer exits when this process
 * exits.
 * @param poolSize the number of server connections per database
 */
export async function startPgBouncer(program: string, serverUrl: string, poolSize = 20): Promise<PgBouncer> {
  const server = new URL(serverUrl);
  const folder = mkdtempSync(join(tmpdir(), 'affkit-pgbouncer-'));
  const port = await findFreePort();
  const files = {
    'users.txt': `"${server.username}" "${server.password}"\n`,
    'pgbouncer.ini': [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${join(folder, 'users.txt')}`,
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      'max_client_conn = 2000',
      'server_login_retry = 1',
    ].join('\n'),
  };
  const user = process.getuid?.() === 0 ? findOtherUser() : {};
  chmodSync(folder, 0o755);
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
  }
  // When this process dies, the stdin of the shell closes. The shell then kills PgBouncer. The shell exits when
  // PgBouncer exits.
  const script = 'exec 3<&0; "$0" "$1" & pid=$!; { cat <&3 >/dev/null; kill -KILL $pid; } & wait $pid';
  const guard = spawn('sh', ['-c', script, program, join(folder, 'pgbouncer.ini')], {
    ...user,
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  await waitUntilListening(guard);
  return {
    url: (database = 'postgres') => {
      const url = new URL(serverUrl);
      url.hostname = '127.0.0.1';
      url.port = String(port);
      url.pathname = database;
      url.search = '';
      return url.href;
    },
    stop: async () => {
      const exited = once(guard, 'exit');
      guard.stdin?.end();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns options that connect to the database of `url`, through the pooler of the test run if it has one. */
export function throughPooler(url: string): PostgresOptions {
  const pooler = inject('poolerUrl');
  if (pooler === undefined) return { connectionString: url };
  const pooled = new URL(pooler);
  pooled.pathname = new URL(url).pathname;
  return { connectionString: pooled.href, pooler: 'transaction' };
}

async function waitUntilListening(guard: ChildProcess): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    guard.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      log = `${log}${chunk}`.slice(-20_000);
      if (log.includes('process up')) resolve();
      if (log.includes('FATAL')) reject(new Error(`PgBouncer did not start: ${log}`));
    });
    guard.on('error', reject);
    guard.on('exit', () => reject(new Error(`PgBouncer did not start: ${log}`)));
  });
}
