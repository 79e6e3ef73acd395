import { DAY_MS } from './calendar.ts';

/** A month of a schedule, and the start of its payout day in UTC. */
export interface ScheduledDay {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly at: number;
}

/** The month whose payouts were proposed, and the time of the proposal. */
export interface Proposal {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly at: number;
}

/**
 * Returns the last payout day of a monthly schedule at or before the time `at`, in UTC. In a month with fewer
 * days than `day`, the payout day is the last day of the month.
 */
export function latestScheduledDay(day: number, at: number): ScheduledDay {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const thisMonth = scheduledDayIn(year, month, day);
  return thisMonth.at <= at ? thisMonth : scheduledDayIn(year, month - 1, day);
}

/**
 * Returns the next payout day of a monthly schedule, in UTC. This may be today.
 * @param last the latest proposal. The payouts of a month are proposed only once, even if the day of the schedule
 * changes. So if the payouts of the month were proposed on an earlier day, the next payout day is in the next month.
 */
export function nextScheduledDay(day: number, at: number, last: Proposal | null = null): ScheduledDay {
  const latest = latestScheduledDay(day, at);
  const next = at < latest.at + DAY_MS ? latest : followingDay(day, latest);
  const isProposedEarlier = last !== null && last.month >= next.month && last.at < next.at;
  return isProposedEarlier ? followingDay(day, next) : next;
}

/** Returns the payout day in the month after the month of `scheduled`. */
function followingDay(day: number, scheduled: ScheduledDay): ScheduledDay {
  const date = new Date(scheduled.at);
  return scheduledDayIn(date.getUTCFullYear(), date.getUTCMonth() + 1, day);
}

/** @param month counted from 0; a value below 0 or above 11 belongs to an earlier or later year */
function scheduledDayIn(year: number, month: number, day: number): ScheduledDay {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const at = Date.UTC(year, month, Math.min(day, lastDay));
  return { month: new Date(at).toISOString().slice(0, 7), at };
}
