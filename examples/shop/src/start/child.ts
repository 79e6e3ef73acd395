import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const stopWithParent = pathToFileURL(join(root, 'scripts', 'stop-with-parent.ts')).href;

/** Longer than the server takes to drain. */
const STOP_TIMEOUT_MS = 15_000;

/** One of the demo's processes. */
export class Child {
  readonly name: string;
  readonly #process: ChildProcess;
  /** Resolves with the exit code, or the signal's name, once the process has ended. */
  readonly ended: Promise<number | string>;

  /**
   * Runs a script of the workspace. It has a process group of its own: Ctrl-C, which the terminal sends to the
   * whole group, reaches it through `stop` alone. When this process dies without a word, it stops as well.
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

  /** Calls back with each line that the process writes. */
  onLine(read: (line: string) => void): void {
    if (this.#process.stdout) createInterface(this.#process.stdout).on('line', read);
  }

  /** Asks the process to finish what it is at, and ends when it has; one that doesn't is ended. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGTERM');
    const tooLate = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(tooLate);
  }
}

/** Starts a process and waits until `isUp` says so of a line that it writes; false when it ends before. */
export async function waitUntilUp(child: Child, isUp: (line: string) => boolean): Promise<boolean> {
  const up = new Promise<true>((resolve) => {
    child.onLine((line) => {
      if (isUp(line)) resolve(true);
    });
  });
  return Promise.race([up, child.ended.then(() => false)]);
}
