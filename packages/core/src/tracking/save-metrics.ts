import { utcDay } from '../domain/calendar.ts';
import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { isTransient } from '../storage/database/engine/transient.ts';
import type { CounterDelta } from '../storage/tracking/counters.ts';
import {
  enqueueTotalsRepairs,
  type ProgramDay,
  type TotalsRepair,
} from '../storage/tracking/totals-repairs.ts';

/** The counters and daily totals that events change. */
interface EventMetrics {
  readonly counters: readonly CounterDelta[];
  /** Days whose totals change. May contain duplicates. */
  readonly days: readonly ProgramDay[];
  readonly write: () => Promise<void>;
}

/** With a guard, a failed update of the metrics does not fail its events. A guard costs a savepoint. */
export interface MetricsGuard extends Pick<Runtime, 'log'> {
  readonly now: number;
  /** The request to name in the log. */
  readonly requestId?: string | undefined;
}

/** The properties of a request that its log lines need. */
interface IdentifiedRequest {
  readonly requestId?: string | undefined;
}

/**
 * Batches are first recorded without a guard. If that fails, each request is recorded alone.
 * @returns a guard for a request that is recorded alone; null for the first attempt
 */
export function guardRetry(
  { log, now }: Pick<Runtime, 'log' | 'now'>,
  requests: readonly IdentifiedRequest[],
  attempt: number,
): MetricsGuard | null {
  const [first, ...others] = requests;
  if (attempt === 1 || !first || others.length > 0) return null;
  return { log, now: now(), requestId: first.requestId };
}

/**
 * Updates counters and daily totals. With a guard, a failure is logged, and an outbox row repairs the totals
 * of that day later. Without a guard, the failure is thrown.
 */
export async function saveMetrics(
  tx: Transaction,
  metrics: EventMetrics,
  guard: MetricsGuard | null,
): Promise<void> {
  if (!guard) return await metrics.write();
  try {
    await tx.savepoint(metrics.write);
  } catch (error) {
    if (isTransient(error) || error instanceof Unavailable) throw error;
    const repairs = planRepairs(metrics);
    guard.log.error(
      {
        err: error,
        ...(guard.requestId !== undefined && { request_id: guard.requestId }),
        program_ids: [...new Set(repairs.map(({ programId }) => programId))],
      },
      'counters and daily totals could not be updated; a background job will repair them',
    );
    await enqueueTotalsRepairs(tx, repairs, guard.now);
  }
}

function planRepairs({ counters, days }: EventMetrics): TotalsRepair[] {
  const repairs = new Map<string, ProgramDay & { counters: CounterDelta[] }>();
  const repairOf = ({ programId, day }: ProgramDay) => {
    const name = `${programId}:${day}`;
    const repair = repairs.get(name) ?? { programId, day, counters: [] };
    repairs.set(name, repair);
    return repair;
  };
  for (const day of days) repairOf(day);
  for (const delta of counters) {
    repairOf({ programId: delta.programId, day: utcDay(delta.at) }).counters.push(delta);
  }
  return [...repairs.values()];
}
