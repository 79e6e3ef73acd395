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
interface EventTotals {
  readonly counters: readonly CounterDelta[];
  /** Days whose totals change. May contain duplicates. */
  readonly days: readonly ProgramDay[];
  readonly write: () => Promise<void>;
}

/** The retry of a request that could not be recorded in a batch. A failed update of the totals does not fail it. */
export interface TotalsRetry extends Pick<Runtime, 'log'> {
  readonly now: number;
  /** The request to name in the log. */
  readonly requestId?: string | undefined;
}

/** The properties of a request that its log lines need. */
interface IdentifiedRequest {
  readonly requestId?: string | undefined;
}

/**
 * A batch that fails is recorded again, one request at a time. In such a retry, the totals get a savepoint.
 * @returns null for the first attempt
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
 * Updates counters and daily totals. In a retry, a failure is only logged, and a job repairs the totals of that
 * day later. In the first attempt, the failure is thrown.
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
