import { readIsoTime } from '@affkit/protocol';
import { Rejection } from '../rejection.ts';
import { DAY_MS } from './calendar.ts';

/** Bounds of a time range in epoch milliseconds, both inclusive; null is open. */
export interface TimeRange {
  readonly from: number | null;
  readonly to: number | null;
}

/** Reads `dateFrom` and `dateTo`: an ISO 8601 instant, without a zone in UTC, or a date, which means its whole UTC day. */
export function readTimeRange(dateFrom: string | null, dateTo: string | null): TimeRange | Rejection {
  const from = readBound(dateFrom, 0);
  const to = readBound(dateTo, DAY_MS - 1);
  if (Number.isNaN(from)) return bad('dateFrom');
  if (Number.isNaN(to)) return bad('dateTo');
  if (from !== null && to !== null && from > to) {
    return new Rejection('invalid_field', 'dateFrom must not be after dateTo');
  }
  return { from, to };
}

/** NaN where the text is no bound. */
function readBound(text: string | null, untilEndOfDay: number): number | null {
  if (text === null || text === '') return null;
  const time = readIsoTime(text);
  if (!time) return Number.NaN;
  return time.hasTime ? time.at : time.at + untilEndOfDay;
}

function bad(name: string): Rejection {
  return new Rejection('invalid_field', `${name} must be an ISO 8601 date, or a date and time`);
}
