import { Rejection } from '../rejection.ts';
import { DAY_MS } from './calendar.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Bounds of a time range in epoch milliseconds, both inclusive; null is open. */
export interface TimeRange {
  readonly from: number | null;
  readonly to: number | null;
}

/** Reads `dateFrom` and `dateTo`: an ISO 8601 instant with a zone, or a date, which means its whole UTC day. */
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
  if (DATE.test(text)) return startOfDay(text) + untilEndOfDay;
  if (!DATE_TIME.test(text) || Number.isNaN(startOfDay(text.slice(0, 10)))) return Number.NaN;
  return Date.parse(text);
}

/** NaN where there is no such day: `2026-02-30` would be taken as 2 March. */
function startOfDay(date: string): number {
  const at = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date) ? at : Number.NaN;
}

function bad(name: string): Rejection {
  return new Rejection('invalid_field', `${name} must be an ISO 8601 date, or a date and time with a zone`);
}
