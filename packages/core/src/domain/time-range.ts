import { readIsoTime } from '@affkit/protocol';
import { Rejection } from '../rejection.ts';
import { DAY_MS } from './calendar.ts';

/** A time range in epoch milliseconds. Both bounds are inclusive, and null leaves that side open. */
export interface TimeRange {
  readonly from: number | null;
  readonly to: number | null;
}

/**
 * Reads `dateFrom` and `dateTo`. Each is an ISO 8601 date and time, in UTC if it names no zone, or a date,
 * which covers its whole UTC day.
 */
export function readTimeRange(dateFrom: string | null, dateTo: string | null): TimeRange | Rejection {
  const from = readBound(dateFrom, 0);
  const to = readBound(dateTo, DAY_MS - 1);
  if (Number.isNaN(from)) return rejectBound('dateFrom');
  if (Number.isNaN(to)) return rejectBound('dateTo');
  if (from !== null && to !== null && from > to) {
    return new Rejection('invalid_field', 'dateFrom must not be after dateTo');
  }
  return { from, to };
}

/**
 * @param dateOffsetMs what is added to a date without a time
 * @returns null when the text is empty, NaN when it is not a valid bound
 */
function readBound(text: string | null, dateOffsetMs: number): number | null {
  if (text === null || text === '') return null;
  const time = readIsoTime(text);
  if (!time) return Number.NaN;
  return time.hasTime ? time.at : time.at + dateOffsetMs;
}

function rejectBound(name: string): Rejection {
  return new Rejection('invalid_field', `${name} must be an ISO 8601 date, or a date and time`);
}
