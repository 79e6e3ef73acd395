import { DAY_MS, utcDay } from './calendar.ts';

/** The days of the year (month and day) on which banks in the euro area are always closed. */
const CLOSED = ['01-01', '05-01', '12-25', '12-26'];

/**
 * Returns the start of the first banking day after the day of `at`, in UTC. A banking day is a day on which
 * the Eurosystem's T2 is open. T2 is closed on weekends, New Year's Day, Good Friday, Easter Monday, 1 May,
 * and 25 and 26 December.
 */
export function nextBankingDay(at: number): number {
  let day = (utcDay(at) + 1) * DAY_MS;
  while (isClosed(day)) day += DAY_MS;
  return day;
}

function isClosed(day: number): boolean {
  const date = new Date(day);
  const weekday = date.getUTCDay();
  const daysSinceEaster = (day - easterSunday(date.getUTCFullYear())) / DAY_MS;
  return (
    weekday === 0 ||
    weekday === 6 ||
    CLOSED.includes(date.toISOString().slice(5, 10)) ||
    daysSinceEaster === -2 ||
    daysSinceEaster === 1
  );
}

/** The Gregorian Easter by the algorithm of Meeus, Jones, and Butcher. */
function easterSunday(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const correction = Math.floor((century + 8) / 25);
  const epact =
    (19 * golden + century - Math.floor(century / 4) - Math.floor((century - correction + 1) / 3) + 15) % 30;
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const days = epact + weekday - 7 * shift + 114;
  return Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1);
}
