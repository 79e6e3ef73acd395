import type { Runtime } from '../runtime.ts';
import { expire } from './expiry.ts';
import { throwFailures } from './failures.ts';
import { releaseHolds } from './hold-release.ts';
import { drainOutbox } from './outbox.ts';
import { checkParkedRefunds } from './parked-refunds.ts';
import { sealLedgers } from './seal-ledger.ts';

/** How often each process looks for work, in ms. */
const INTERVAL_MS = 5_000;

/** Work that follows events. Every process may run it: each piece is claimed by one. */
export class Jobs {
  readonly #runtime: Runtime;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

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

  /** Ends when the present round has ended. Idempotent. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  /** One round of everything that is due. A kind of work that fails does not hold up the others. @throws AggregateError for several */
  async runOnce(): Promise<void> {
    const failures: unknown[] = [];
    for (const job of [drainOutbox, releaseHolds, checkParkedRefunds, sealLedgers, expire]) {
      await job(this.#runtime).catch((error: unknown) => failures.push(error));
    }
    throwFailures(failures);
  }
}
