import type { Runtime } from '../runtime.ts';
import { throwFailures } from './failures.ts';
import { type Job, runJob } from './run-job.ts';

/** The interval at which each process looks for due work. */
const JOB_INTERVAL_MS = 5_000;

/** The background jobs of a service. */
export interface JobRunner {
  start(): void;
  stop(): Promise<void>;
  runOnce(): Promise<void>;
}

/**
 * A loop of background jobs. Every process may run the jobs, because each piece of work is claimed by only one
 * process.
 */
export class JobLoop implements JobRunner {
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
   * Resolves when the current turn of the jobs has ended (see `runOnce`). The rest of a backlog is processed after the
   * next start. Idempotent.
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopping.abort();
    await this.#running;
  }

  /**
   * Runs all jobs in turns until nothing is due. In each turn, every job processes a limited part of its due
   * work. A job with a backlog therefore does not delay the others. A job that fails is skipped for the rest
   * of the run.
   * @param signal when aborted, stops the run after the current turn. The method `stop` ends only runs that
   * `start` has begun
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
          if (await runJob(this.#runtime, job, signal)) hasMore = true;
        } catch (error) {
          failures.push(error);
          active.delete(job);
        }
      }
    }
    throwFailures(failures);
  }
}
