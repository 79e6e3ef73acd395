import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { byDepth } from '../../core/test/support/test-depth.ts';

/** The reference server in a child process. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** Resolves to the port when the server is listening. Rejects if the server exits first. */
  readonly listening: Promise<number>;
  /** Resolves to the exit code, or to the name of the signal that killed the process. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
  /** Sends a request with `Connection: close`. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** The file that starts the server. `npm test` starts the bundle that `scripts/bundle.ts` creates from the sources. */
const main = join(import.meta.dirname, '..', byDepth({ short: '.bundle/main.js', long: 'src/main.ts' }));

export interface RunOptions {
  /**
   * A wrapper command. The server's command line is appended to the wrapper command, which must exit together
   * with the server.
   * @default none
   */
  readonly through?: readonly string[];
  /** The flags of Node. @default none */
  readonly nodeFlags?: readonly string[];
  /** The arguments of the server. @default none */
  readonly args?: readonly string[];
}

/**
 * Runs the server. By default, it uses a free port and an in-memory database, without GeoIP.
 * It inherits only the environment variable `PATH`. The process is killed when the test finishes.
 */
export function runServer(
  env: Readonly<Record<string, string>> = {},
  options: RunOptions = {},
): ServerProcess {
  const server = startServerProcess(env, options);
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return server;
}

/** Runs the server like `runServer`. The caller must kill it. */
export function startServerProcess(
  env: Readonly<Record<string, string>> = {},
  { through = [], nodeFlags = [], args = [] }: RunOptions = {},
): ServerProcess {
  const [command = '', ...rest] = [
    ...through,
    process.execPath,
    '--conditions=@affkit/source',
    ...nodeFlags,
    main,
    ...args,
  ];
  const child = spawn(command, rest, {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: '0',
      DATABASE_URL: 'sqlite::memory:',
      GEOIP: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface(child.stderr).on('line', (line) => stderr.push(line));
  const exited = once(child, 'close').then(([code, signal]) => code ?? signal);
  const listening = new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      stdout.push(line);
      const port = portOf(line);
      if (port !== undefined) resolve(port);
    });
    exited.then(() => reject(new Error(`The server exited: ${stderr.join('\n')}`)), reject);
  });
  // Prevents an unhandled rejection in tests that expect the server to exit.
  listening.catch(() => {});
  return {
    child,
    stdout,
    stderr,
    listening,
    exited,
    send: async (path, init) =>
      fetch(`http://127.0.0.1:${await listening}${path}`, {
        ...init,
        headers: { connection: 'close', ...init?.headers },
      }),
  };
}

function portOf(line: string): number | undefined {
  if (!line.startsWith('{')) return undefined;
  const entry = JSON.parse(line) as { msg?: unknown; port?: unknown };
  return entry.msg === 'listening' && typeof entry.port === 'number' ? entry.port : undefined;
}
