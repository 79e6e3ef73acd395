import type { Runtime } from '../runtime.ts';
import { countBreakdowns } from './count-breakdowns.ts';
import { deleteExpiredRows } from './expiry.ts';
import { throwFailures } from './failures.ts';
import { releaseHolds } from './hold-release.ts';
import { drainOutbox } from './outbox.ts';
import { checkParkedDisputes } from './parked-disputes.ts';
import { checkParkedRefunds } from './parked-refunds.ts';
import { recordPendingPayments } from './pending-payments.ts';
import { sealLedgers } from './seal-ledger.ts';
import { deleteUnusedPaymentTies } from './tie-expiry.ts';

/** How often each process looks for due work. */
const JOB_INTERVAL_MS = 5_000;

/** Does a bounded part of the due work. @returns whether more work may be due */
type Job = (runtime: Runtime) => Promise<boolean>;

const JOBS: readonly Job[] = [
  drainOutbox,
  releaseHolds,
  checkParkedRefunds,
  checkParkedDisputes,
  recordPendingPayments,
  sealLedgers,
  countBreakdowns,
  deleteExpiredRows,
  deleteUnusedPaymentTies,
];

/** The background jobs. Every process may run them: each piece of work is claimed by one process. */
export class Jobs {
  readonly #runtime: Runtime;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopping = new AbortController();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Runs the jobs now and every 5 seconds. The timer does not keep the process alive. Idempotent. */
  start(): void {
    if (this.#timer) return;
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const run = () => {
      // Skips a tick while the previous run is still going.
      this.#running ??= this.runOnce(signal)
        .catch((error: unknown) => {
          this.#runtime.log.error({ err: error }, 'background jobs failed; retrying at the next interval');
        })
        .finally(() => {
          this.#running = undefined;
        });
    };
    this.#timer = setInterval(run, JOB_INTERVAL_MS);
    this.#timer.unref();
    run();
  }

  /**
   * Resolves when the job in progress has ended; the rest of a backlog is processed after the next start.
   * Idempotent.
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopping.abort();
    await this.#running;
  }

  /**
   * Runs all jobs in turns until nothing is due. A job with a backlog, or one that fails, does not delay the
   * others: a job that fails is skipped for the rest of the run.
   * @param signal stops the run after the current turn. `stop` uses it to abort the runs that `start` began,
   *   but not other runs
   * @throws the failure of a job, after the others are done
   * @throws AggregateError when several jobs failed
   */
  async runOnce(signal?: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    const active = new Set(JOBS);
    let hasMore = true;
    while (hasMore && !signal?.aborted) {
      hasMore = false;
      for (const job of active) {
        try {
          if (await job(this.#runtime)) hasMore = true;
        } catch (error) {
          failures.push(error);
          active.delete(job);
        }
      }
    }
    throwFailures(failures);
  }
}
