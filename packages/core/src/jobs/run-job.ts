import type { Runtime } from '../runtime.ts';
import { deleteExpiredRows } from './expiry.ts';

/**
 * Processes a limited part of the due work.
 * @param signal aborted when the jobs stop
 * @returns whether more work may be due
 */
export type Job = (runtime: Runtime, signal?: AbortSignal) => Promise<boolean>;

/** Jobs that are not traced. They write in every turn, so their spans would outnumber the useful spans. */
const UNTRACED: ReadonlySet<Job> = new Set([deleteExpiredRows]);

/** Runs one turn of a job, and records its telemetry. */
export async function runJob(runtime: Runtime, job: Job, signal: AbortSignal | undefined): Promise<boolean> {
  const { telemetry } = runtime;
  if (telemetry === undefined) return await job(runtime, signal);
  const { measure, tracing } = telemetry;
  const run = () => job(runtime, signal);
  try {
    const hasMore = await (tracing === undefined || UNTRACED.has(job)
      ? run()
      : tracing.runJob(job.name, run));
    measure('affkit.job.runs', 1, { job_name: job.name, outcome: 'succeeded' });
    measure('affkit.job.last_success_timestamp', Date.now() / 1000, { job_name: job.name });
    return hasMore;
  } catch (error) {
    measure('affkit.job.runs', 1, { job_name: job.name, outcome: 'failed' });
    throw error;
  }
}
