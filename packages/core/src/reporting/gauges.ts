import type { Runtime } from '../runtime.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { readJobBacklog, type WaitingWork } from '../storage/reads/job-backlog.ts';
import type { GaugeValue } from '../telemetry/metrics.ts';

/** How long values from the database are cached, so that frequent scrapes do not slow the database down. */
const CACHE_MS = 15_000;

/** Reads the gauges of `METRICS`. */
export interface GaugeReader {
  /** Reads the load of this process. */
  readLoad(): readonly GaugeValue[];
  /**
   * Reads how much work waits in the database. The values are the same in every process, and at most 15
   * seconds old. Empty while the database cannot be read.
   */
  readBacklog(): Promise<readonly GaugeValue[]>;
}

export function createGaugeReader({ engine, now }: Pick<Runtime, 'engine' | 'now'>): GaugeReader {
  let cached: { readonly values: Promise<readonly GaugeValue[]>; readonly at: number } | undefined;
  return {
    readLoad: () => readLoad(engine),
    readBacklog: () => {
      const at = performance.now();
      if (cached === undefined || at - cached.at >= CACHE_MS) {
        cached = { values: readBacklog(engine, now).catch(() => []), at };
      }
      return cached.values;
    },
  };
}

function readLoad(engine: Engine): GaugeValue[] {
  const load = engine.load?.();
  if (load === undefined) return [];
  const { queuedWrites, readPool } = load;
  return [
    { metric: 'affkit.write_queue.size', value: queuedWrites },
    ...(readPool
      ? ([
          { metric: 'affkit.read_pool.connections', value: readPool.used, labels: { state: 'used' } },
          { metric: 'affkit.read_pool.connections', value: readPool.idle, labels: { state: 'idle' } },
          { metric: 'affkit.read_pool.waiting', value: readPool.waiting },
        ] as const)
      : []),
  ];
}

async function readBacklog({ read }: Engine, now: () => number): Promise<GaugeValue[]> {
  const { outbox, webhooks, emails, payouts, unclearPayouts, ledger } = await readJobBacklog(read);
  const ageOf = ({ oldestAt }: WaitingWork) => (oldestAt === null ? 0 : Math.max(0, now() - oldestAt) / 1000);
  return [
    { metric: 'affkit.outbox.tasks', value: outbox.count },
    { metric: 'affkit.outbox.failing_tasks', value: outbox.failing },
    { metric: 'affkit.outbox.oldest_age', value: ageOf(outbox) },
    { metric: 'affkit.webhook.queued', value: webhooks.count },
    { metric: 'affkit.webhook.oldest_age', value: ageOf(webhooks) },
    { metric: 'affkit.email.queued', value: emails.count },
    { metric: 'affkit.email.oldest_age', value: ageOf(emails) },
    { metric: 'affkit.payout.in_progress', value: payouts.count },
    { metric: 'affkit.payout.unclear', value: unclearPayouts.count },
    { metric: 'affkit.ledger.unsealed_oldest_age', value: ageOf(ledger) },
  ];
}
