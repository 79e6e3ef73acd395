import { DAY_MS, HOUR_MS } from '../../domain/calendar.ts';

/*
 * Whose totals a row of `daily_totals` holds, by its `partner_id`: 0 is the whole program, a positive one a partner,
 * and -1 to -24 what the program has of clicks, leads and sales in one hour of that UTC day.
 */

export const WHOLE_PROGRAM = 0;
export const HOURS = 24;

/** The owner of the totals of an instant's hour. */
export function hourOwner(at: number): number {
  return -1 - Math.floor((at % DAY_MS) / HOUR_MS);
}

/** All owners of hours, the newest first. */
export const HOUR_OWNERS: readonly number[] = Array.from({ length: HOURS }, (_, index) => index - HOURS);
