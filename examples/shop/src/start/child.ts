import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const stopWithParent = pathToFileURL(join(root, 'scripts', 'stop-with-parent.ts')).href;

/** Longer than the server needs to drain its connections, so that SIGKILL does not interrupt the server. */
const STOP_TIMEOUT_MS = 15_000;

/** A process of the demo. */
export class Child {
  readonly name: string;
  readonly #process: ChildProcess;
  /** Resolves with the exit code or the name of the signal when the process exits. */
  readonly ended: Promise<number | string>;

  /**
   * Runs a script of this repository in a separate process group. The terminal sends Ctrl-C to a whole group, so
   * Ctrl-C does not stop the child before `stop` is called. If this process is killed, the child exits too.
   */
  constructor(name: string, script: string, env: Readonly<Record<string, string | undefined>>) {
    this.name = name;
    this.#process = spawn(process.execPath, ['--import', stopWithParent, join(root, script)], {
      cwd: process.cwd(),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      detached: process.platform !== 'win32',
    });
    this.ended = once(this.#process, 'exit').then(([code, signal]) => code ?? signal);
  }

  /** Calls `read` with each line of standard output. */
  onLine(read: (line: string) => void): void {
    if (this.#process.stdout) createInterface(this.#process.stdout).on('line', read);
  }

  /** Sends SIGTERM and waits for the exit. Sends SIGKILL after `STOP_TIMEOUT_MS`. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGTERM');
    const killTimer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(killTimer);
  }
}

/** Waits until `isUp` returns true for a line of output. Resolves with false if the process exits first. */
export async function waitUntilUp(child: Child, isUp: (line: string) => boolean): Promise<boolean> {
  const up = new Promise<true>((resolve) => {
    child.onLine((line) => {
      if (isUp(line)) resolve(true);
    });
  });
  return Promise.race([up, child.ended.then(() => false)]);
}
