import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createConnection, createPool, type Pool } from 'mysql2/promise';

/** A MariaDB server for tests, on a Unix socket. */
export interface MariadbServer {
  /** Creates a database and opens a pool to it. */
  openDatabase(): Promise<Pool>;
  stop(): Promise<void>;
}

/** Starts the MariaDB executable at the path in the environment variable `MARIADB_PATH`. */
export async function startMariadb(): Promise<MariadbServer> {
  const command = process.env['MARIADB_PATH'];
  if (command === undefined) throw new Error('MARIADB_PATH must be the path of an executable');
  const folder = mkdtempSync(join(tmpdir(), 'affkit-mariadb-'));
  const socketPath = join(folder, 'socket');
  const settings = [
    '--no-defaults',
    `--datadir=${folder}`,
    `--socket=${socketPath}`,
    '--skip-networking',
    // The new folder has no system tables, and therefore no users. This option lets every client sign in.
    '--skip-grant-tables',
    '--sql-mode=STRICT_ALL_TABLES',
    '--innodb-flush-log-at-trx-commit=0',
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ];
  const server = spawn(command, settings, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-20_000);
  });
  const exited = once(server, 'exit');
  const stop = async () => {
    server.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const connect = async () => {
    for (;;) {
      try {
        return await createConnection({ socketPath });
      } catch (error) {
        if (server.exitCode !== null) throw new Error(`MariaDB did not start: ${log}`, { cause: error });
        await setTimeout(50);
      }
    }
  };
  try {
    await (await connect()).end();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async openDatabase() {
      const database = `test_${randomBytes(8).toString('hex')}`;
      const connection = await createConnection({ socketPath });
      await connection.query(`create database ${database}`);
      await connection.end();
      return createPool({ socketPath, database, connectionLimit: 4 });
    },
    stop,
  };
}
