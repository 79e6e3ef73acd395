import type { Runtime } from '../runtime.ts';

/** Returns a time up to which the data that `engine.read` returns is complete. Call it before the reads. */
export function readableUntil({ engine, now }: Pick<Runtime, 'engine' | 'now'>): number {
  return now() - (engine.dataAgeMs?.() ?? 0);
}

/**
 * Returns a time before which all events are counted, or null while no such time is known.
 * @param at the result of `readableUntil`
 * @param isCaughtUp whether all events that could be read are counted
 * @param countedAsOf the stored progress
 */
export function asOfCounts(at: number, isCaughtUp: boolean, countedAsOf: number | null): number | null {
  return isCaughtUp ? Math.max(at, countedAsOf ?? at) : countedAsOf;
}
