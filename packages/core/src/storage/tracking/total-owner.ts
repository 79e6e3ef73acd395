import { DAY_MS, HOUR_MS } from '../../domain/calendar.ts';

/*
 * The owner of a row in `daily_totals`, which is stored in `partner_id`. A positive id is a partner, and 0 is
 * the whole program. The owners -1 to -24 are the hours of the UTC day. Their rows count the program's
 * clicks, leads and sales.
 */

export const WHOLE_PROGRAM = 0;
export const HOURS = 24;

/** Returns the owner of the hourly total that counts an event at this time. */
export function hourlyTotalOwner(at: number): number {
  return -1 - Math.floor((at % DAY_MS) / HOUR_MS);
}

/** The owners of all hourly totals, beginning with the latest hour. */
export const HOURLY_TOTAL_OWNERS: readonly number[] = Array.from(
  { length: HOURS },
  (_, index) => index - HOURS,
);
