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

/** The changes that events make to counters and daily totals. */
interface EventTotals {
  readonly counters: readonly CounterDelta[];
  /** The days whose totals change. May contain duplicates. */
  readonly days: readonly ProgramDay[];
  readonly write: () => Promise<void>;
}

/**
 * A retry of a request that could not be recorded in a batch. In a retry, the request is recorded even if the
 * totals cannot be updated.
 */
export interface TotalsRetry extends Pick<Runtime, 'log'> {
  readonly now: number;
  /** The id of the request, for the log. */
  readonly requestId?: string | undefined;
}

/** The property of a request that is needed in log lines. */
interface IdentifiedRequest {
  readonly requestId?: string | undefined;
}

/**
 * Returns the settings of a retry. After a batch has failed, each request is recorded again in a batch of its
 * own, and its totals are updated in a savepoint.
 * @returns null for the first attempt, and for a batch of several requests
 */
export function totalsRetryOf(
  { log, now }: Pick<Runtime, 'log' | 'now'>,
  requests: readonly IdentifiedRequest[],
  attempt: number,
): TotalsRetry | null {
  const [first, ...others] = requests;
  if (attempt === 1 || !first || others.length > 0) return null;
  return { log, now: now(), requestId: first.requestId };
}

/**
 * Updates counters and daily totals. If this fails in the first attempt, the error is thrown. If it fails in
 * a retry, the error is only logged, and a job later repairs the totals of the day.
 */
export async function saveTotals(
  tx: Transaction,
  totals: EventTotals,
  retry: TotalsRetry | null,
): Promise<void> {
  if (!retry) return await totals.write();
  try {
    await tx.savepoint(totals.write);
  } catch (error) {
    if (isTransient(error) || error instanceof Unavailable) throw error;
    const repairs = planRepairs(totals);
    retry.log.error(
      {
        err: error,
        ...(retry.requestId !== undefined && { request_id: retry.requestId }),
        program_ids: [...new Set(repairs.map(({ programId }) => programId))],
      },
      'counters and daily totals could not be updated; a background job will repair them',
    );
    await enqueueTotalsRepairs(tx, repairs, retry.now);
  }
}

function planRepairs({ counters, days }: EventTotals): TotalsRepair[] {
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
