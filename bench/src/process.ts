import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const STOP_WITH_PARENT = new URL('../../scripts/stop-with-parent.ts', import.meta.url).href;

/** A server in a separate process. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  /** Time from the start of the process until it listens. */
  readonly startedMs: number;
  stop(): Promise<void>;
}

/** Options of `startProcess`. */
export interface ProcessOptions {
  /** Options of Node, e.g. `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
  /** A command to put before the command of the server, such as `strace`. @default none */
  readonly commandPrefix?: readonly string[];
}

/**
 * Starts a Node script that prints a JSON line with `"msg":"listening"` and its port.
 * @throws if the process exits before it listens
 */
export async function startProcess(
  script: string,
  env: Readonly<Record<string, string>>,
  { nodeOptions = [], commandPrefix = [] }: ProcessOptions = {},
): Promise<RunningServer> {
  const begin = performance.now();
  const node = [process.execPath, ...nodeOptions, '--import', STOP_WITH_PARENT, script];
  const [command = '', ...args] = [...commandPrefix, ...node];
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const port = await readPort(child);
  const startedMs = performance.now() - begin;
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? Number.NaN,
    startedMs,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Runs `use` with a function that starts servers. Stops all of them when `use` settles. */
export async function withServers<T>(
  use: (start: <Server extends RunningServer>(starting: Promise<Server>) => Promise<Server>) => Promise<T>,
): Promise<T> {
  const servers: RunningServer[] = [];
  try {
    return await use(async (starting) => {
      const server = await starting;
      servers.push(server);
      return server;
    });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function readPort(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error('The server has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const port = portOf(line);
    if (port === null) continue;
    // Discard further output, so that it does not fill the pipe.
    child.stdout.resume();
    return port;
  }
  throw new Error(`The server exited before it listened, with exit code ${child.exitCode}`);
}

function portOf(line: string): number | null {
  try {
    const entry = JSON.parse(line) as { msg?: unknown; port?: unknown };
    return entry.msg === 'listening' && typeof entry.port === 'number' ? entry.port : null;
  } catch {
    return null;
  }
}
