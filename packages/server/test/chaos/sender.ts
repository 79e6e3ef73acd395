import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Call } from './plan.ts';
import type { STORES } from './stores.ts';

export interface SenderOptions {
  readonly store: keyof typeof STORES;
  /** The folder of the spool, or the database of the outbox. */
  readonly path: string;
  readonly baseUrl: string;
  readonly token: string;
  /** The timeout of a request, in milliseconds. */
  readonly timeoutMs: number;
}

export interface ProcessOptions extends SenderOptions {
  /** How much the clock of the process is ahead, in milliseconds. */
  readonly clockAheadMs: number;
}

/**
 * The calls of one customer in order, or a command: `flush` sends all stored calls, and `drain` also closes
 * the store.
 */
export type Command = readonly Call[] | 'flush' | 'drain';

const script = join(import.meta.dirname, 'sender-process.ts');
/** After every other start, the clock of the process is ahead by this time. */
const CLOCK_AHEAD_MS = 10 * 60_000;

/**
 * A shop's process that calls the SDK. It is restarted each time it is killed. The new process repeats the
 * calls that had not resolved.
 */
export class Sender extends EventEmitter<{ halted: []; stored: []; drained: [string]; failed: [Error] }> {
  /** The calls that have not resolved yet, by customer. */
  readonly #pending: Call[][] = [];
  readonly #options: SenderOptions;
  #child: ChildProcess;
  #starts = 0;
  #isDraining = false;
  #isStopped = false;
  /** The number of processes that were killed and replaced. */
  kills = 0;

  constructor(options: SenderOptions) {
    super();
    this.#options = options;
    this.#child = this.#start();
  }

  get hasPendingCalls(): boolean {
    return this.#pending.some((calls) => calls.length > 0);
  }

  /** Makes the calls one after another. Calls of different customers run concurrently. */
  send(calls: readonly Call[]): void {
    this.#pending.push([...calls]);
    this.#write(calls);
  }

  flush(): void {
    this.#write('flush');
  }

  /** Waits until the store is empty and closed. Returns the last output line of the process. */
  async drain(): Promise<string> {
    this.#isDraining = true;
    const drained = once(this, 'drained');
    this.#write('drain');
    const [line] = (await drained) as [string];
    this.stop();
    return line;
  }

  /** Kills the process. It is then restarted. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  stop(): void {
    this.#isStopped = true;
    this.#child.kill('SIGKILL');
  }

  #write(command: Command): void {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  #start(): ChildProcess {
    const clockAheadMs = this.#starts % 2 === 1 ? CLOCK_AHEAD_MS : 0;
    this.#starts += 1;
    const options: ProcessOptions = { ...this.#options, clockAheadMs };
    const args = ['--conditions=@affkit/source', script, JSON.stringify(options)];
    const child = spawn(process.execPath, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // Ignore errors, because writing to a killed process fails.
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => this.#read(line));
    once(child, 'close').then(([code, signal]) => this.#restart(String(signal ?? code)));
    return child;
  }

  #restart(exit: string): void {
    if (this.#isStopped) return;
    if (exit !== 'SIGKILL') this.emit('failed', new Error(`The sender exited: ${exit}`));
    this.kills += 1;
    this.#child = this.#start();
    for (const calls of this.#pending) if (calls.length > 0) this.#write(calls);
    if (this.#isDraining) this.#write('drain');
  }

  #read(line: string): void {
    const [word = '', operation, subject] = line.split(' ');
    if (word === 'halted') this.emit('halted');
    else if (word === 'drained,') this.emit('drained', line);
    else {
      const calls = this.#pending.find(([call]) => call?.id === `${operation} ${subject}`);
      if (word !== 'stored' || calls === undefined) throw new Error(`Unexpected line: ${line}`);
      calls.shift();
      this.emit('stored');
    }
  }
}
