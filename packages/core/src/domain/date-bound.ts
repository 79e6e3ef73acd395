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
  if (DATE.test(text)) {
    const at = Date.parse(`${text}T00:00:00Z`);
    // `2026-02-30` would be taken as 2 March.
    const isReal = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
    return isReal ? at + untilEndOfDay : Number.NaN;
  }
  return DATE_TIME.test(text) ? Date.parse(text) : Number.NaN;
}

function bad(name: string): Rejection {
  return new Rejection('invalid_field', `${name} must be an ISO 8601 date, or a date and time with a zone`);
}
