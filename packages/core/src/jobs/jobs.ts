import type { Runtime } from '../runtime.ts';
import { createPartitionJob } from './click-partitions.ts';
import { closeOrphanedPayouts } from './close-orphaned-payouts.ts';
import { countBreakdowns } from './count-breakdowns.ts';
import { deliverEmails } from './deliver-emails.ts';
import { deliverWebhooks } from './deliver-webhooks.ts';
import { expireWebhooks } from './expire-webhooks.ts';
import { deleteExpiredRows } from './expiry.ts';
import { throwFailures } from './failures.ts';
import { releaseHolds } from './hold-release.ts';
import { JobLoop, type JobRunner } from './job-loop.ts';
import { drainOutbox } from './outbox.ts';
import { checkParkedDisputes } from './parked-disputes.ts';
import { checkParkedRefunds } from './parked-refunds.ts';
import { deleteUnusedPaymentTies } from './payment-id-expiry.ts';
import { proposeScheduledPayouts } from './payout-schedule.ts';
import { recordPendingPayments } from './pending-payments.ts';
import { queueMonthlySummaries, queueReviewDigests } from './recurring-emails.ts';
import type { Job } from './run-job.ts';
import { sealLedgers } from './seal-ledger.ts';
import { sendPayouts } from './send-payouts.ts';

/** The jobs of the main loop. */
export const MAIN_JOBS: readonly Job[] = [
  drainOutbox,
  releaseHolds,
  checkParkedRefunds,
  checkParkedDisputes,
  recordPendingPayments,
  sealLedgers,
  proposeScheduledPayouts,
  closeOrphanedPayouts,
  countBreakdowns,
  // Not in the loop of `deliverWebhooks`, which runs as long as webhooks are due.
  expireWebhooks,
  deleteExpiredRows,
  deleteUnusedPaymentTies,
];

/** Webhooks, emails and payouts have their own loops, so that a slow service does not delay the other jobs. */
export function createJobs(runtime: Runtime): JobRunner {
  const main = new JobLoop(runtime, MAIN_JOBS);
  const loops = [
    main,
    new JobLoop(runtime, [deliverWebhooks]),
    // Partitioning a large table may take minutes, so it has its own loop too.
    ...(runtime.engine.dialect === 'sqlite' ? [] : [new JobLoop(runtime, [createPartitionJob()])]),
    ...(runtime.payoutProviders.size === 0 ? [] : [new JobLoop(runtime, [sendPayouts])]),
    ...(runtime.mail === null
      ? []
      : [new JobLoop(runtime, [queueMonthlySummaries, queueReviewDigests, deliverEmails])]),
  ];
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
