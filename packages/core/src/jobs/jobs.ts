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
  #stopping = new AbortController();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Looks for work now and every few seconds, without keeping the process alive. Idempotent. */
  start(): void {
    if (this.#timer) return;
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const run = () => {
      // A round that takes longer than the pause is not joined by another.
      this.#running ??= this.runOnce(signal)
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
    this.#stopping.abort();
    await this.#running;
  }

  /**
   * Rounds of everything that is due, until nothing is. The kinds of work take turns, so that a backlog of one does not
   * hold up what the others have or get meanwhile, nor does one that fails. @throws AggregateError for several
   * @param signal leaves the rest for later; `stop` ends the rounds of `start` by it, and no others
   */
  async runOnce(signal?: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    const working = new Set(JOBS);
    let hasMore = true;
    while (hasMore && !signal?.aborted) {
      hasMore = false;
      for (const job of working) {
        try {
          if (await job(this.#runtime)) hasMore = true;
        } catch (error) {
          failures.push(error);
          working.delete(job);
        }
      }
    }
    throwFailures(failures);
  }
}
