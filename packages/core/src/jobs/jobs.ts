import type { Runtime } from '../runtime.ts';
import { createPartitionJob } from './click-partitions.ts';
import { countBreakdowns } from './count-breakdowns.ts';
import { deliverEmails } from './deliver-emails.ts';
import { deleteExpiredRows } from './expiry.ts';
import { throwFailures } from './failures.ts';
import { releaseHolds } from './hold-release.ts';
import { drainOutbox } from './outbox.ts';
import { checkParkedDisputes } from './parked-disputes.ts';
import { checkParkedRefunds } from './parked-refunds.ts';
import { proposeScheduledPayouts } from './payout-schedule.ts';
import { recordPendingPayments } from './pending-payments.ts';
import { queueMonthlySummaries, queueReviewDigests } from './recurring-emails.ts';
import { sealLedgers } from './seal-ledger.ts';
import { sendPayouts } from './send-payouts.ts';
import { deleteUnusedPaymentTies } from './tie-expiry.ts';

/** The interval at which each process looks for due work. */
const JOB_INTERVAL_MS = 5_000;

/** Processes a limited part of the due work. @returns whether more work may be due */
type Job = (runtime: Runtime) => Promise<boolean>;

const JOBS: readonly Job[] = [
  drainOutbox,
  releaseHolds,
  checkParkedRefunds,
  checkParkedDisputes,
  recordPendingPayments,
  sealLedgers,
  proposeScheduledPayouts,
  countBreakdowns,
  deleteExpiredRows,
  deleteUnusedPaymentTies,
];

/** The background jobs of a service. */
interface JobRunner {
  start(): void;
  stop(): Promise<void>;
  runOnce(): Promise<void>;
}

/** Emails and payouts have their own loops, so that a slow service does not delay the other jobs. */
export function createJobs(runtime: Runtime): JobRunner {
  const main = new Jobs(runtime, JOBS);
  const loops = [
    main,
    // Partitioning a large table may take minutes.
    ...(runtime.engine.dialect === 'sqlite' ? [] : [new Jobs(runtime, [createPartitionJob()])]),
    ...(runtime.payoutProviders.size === 0 ? [] : [new Jobs(runtime, [sendPayouts])]),
    ...(runtime.mail === null
      ? []
      : [new Jobs(runtime, [queueMonthlySummaries, queueReviewDigests, deliverEmails])]),
  ];
  if (loops.length === 1) return main;
  return {
    start: () => {
      for (const loop of loops) loop.start();
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    runOnce: async () => {
      const failures: unknown[] = [];
      for (const loop of loops) {
        await loop.runOnce().catch((error: unknown) => failures.push(error));
      }
      throwFailures(failures);
    },
  };
}

/**
 * A loop of background jobs. Every process may run them, because each piece of work is claimed by only one
 * process.
 */
class Jobs implements JobRunner {
  readonly #runtime: Runtime;
  readonly #jobs: readonly Job[];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopping = new AbortController();

  constructor(runtime: Runtime, jobs: readonly Job[]) {
    this.#runtime = runtime;
    this.#jobs = jobs;
  }

  /** Runs the jobs now and every 5 seconds. The timer does not keep the process alive. Idempotent. */
  start(): void {
    if (this.#timer) return;
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const run = () => {
      // Skips this tick if the previous run has not ended.
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
   * Resolves when the current job has ended. The rest of a backlog is processed after the next start.
   * Idempotent.
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopping.abort();
    await this.#running;
  }

  /**
   * Runs all jobs in turns until nothing is due, so that a job with a backlog does not delay the others. A
   * job that fails is skipped for the rest of the run.
   * @param signal stops the run after the current turn. `stop` uses it to end the runs that `start` began,
   * but no other runs
   * @throws the failure of a job, after the other jobs have finished
   * @throws AggregateError when several jobs failed
   */
  async runOnce(signal?: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    const active = new Set(this.#jobs);
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
