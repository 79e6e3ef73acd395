import type { Runtime } from '../runtime.ts';
import { expire } from './expiry.ts';
import { throwFailures } from './failures.ts';
import { releaseHolds } from './hold-release.ts';
import { drainOutbox } from './outbox.ts';
import { checkParkedRefunds } from './parked-refunds.ts';
import { sealLedgers } from './seal-ledger.ts';

/** How often each process looks for work, in ms. */
const INTERVAL_MS = 5_000;

/** Does a bounded part of what is due. @returns whether there may be more of it */
type Job = (runtime: Runtime) => Promise<boolean>;

const JOBS: readonly Job[] = [drainOutbox, releaseHolds, checkParkedRefunds, sealLedgers, expire];

/** Work that follows events. Every process may run it: each piece is claimed by one. */
export class Jobs {
  readonly #runtime: Runtime;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Looks for work now and every few seconds, without keeping the process alive. Idempotent. */
  start(): void {
    if (this.#timer) return;
    const run = () => {
      // A round that takes longer than the pause is not joined by another.
      this.#running ??= this.runOnce()
        .catch((error: unknown) => {
          this.#runtime.log.error({ err: error }, 'background jobs failed; they are tried again');
        })
        .finally(() => {
          this.#running = undefined;
        });
    };
    this.#timer = setInterval(run, INTERVAL_MS);
    this.#timer.unref();
    run();
  }

  /** Ends when what is under way has ended; the rest of a backlog is left for later. Idempotent. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#isStopping = true;
    await this.#running;
    this.#isStopping = false;
  }

  /**
   * One round of everything that is due. The kinds of work take turns, so that a backlog of one does not hold up the
   * others, nor does one that fails. @throws AggregateError for several
   */
  async runOnce(): Promise<void> {
    const failures: unknown[] = [];
    let due = JOBS;
    while (due.length > 0 && !this.#isStopping) {
      const unfinished: Job[] = [];
      for (const job of due) {
        const hasMore = await job(this.#runtime).catch((error: unknown) => void failures.push(error));
        if (hasMore) unfinished.push(job);
      }
      due = unfinished;
    }
    throwFailures(failures);
  }
}
