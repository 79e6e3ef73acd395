const FIRST_DELAY_MS = 10_000;
const GROWTH = 2.5;
const MAX_DELAY_MS = 6 * 3_600_000;
/** Delays vary by up to this share in both directions, so that failed deliveries are not retried together. */
const JITTER = 0.2;

/**
 * Returns the delay before the next attempt of a delivery. The first delay is 10 seconds. Each further delay
 * is 2.5 times the previous delay, but at most 6 hours. Each delay varies by ±20 %. This results in about 20
 * attempts in three days.
 * @param failed the number of failed attempts, at least 1
 * @param random from 0 to 1
 */
export function retryDelayMs(failed: number, random: number): number {
  return spread(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * GROWTH ** (Math.min(failed, 20) - 1)), random);
}

/** After this many failed attempts in a row, an endpoint gets only one attempt at a time, with growing pauses. */
export const MAX_FAILURES = 5;
const FIRST_BLOCK_MS = 15_000;
const MAX_BLOCK_MS = 3_600_000;

/**
 * Returns for how long an endpoint gets no attempts. After the fifth failure in a row, this is 15 seconds.
 * Each further failure doubles the time, up to an hour.
 * @param failures the number of failed attempts since the last success
 */
export function blockMs(failures: number, random: number): number {
  if (failures < MAX_FAILURES) return 0;
  return spread(Math.min(MAX_BLOCK_MS, FIRST_BLOCK_MS * 2 ** Math.min(failures - MAX_FAILURES, 10)), random);
}

function spread(delayMs: number, random: number): number {
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
}
