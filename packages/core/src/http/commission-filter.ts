import type { CommissionStatus } from '../domain/commission-status.ts';
import { readTimeRange } from '../domain/date-bound.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { CommissionFilter } from '../storage/commission-list.ts';

const STATUSES: readonly CommissionStatus[] = [
  'pending',
  'approved',
  'paid',
  'rejected',
  'reversed',
  'refunded',
];

/** `status`, `dateFrom` and `dateTo` of a list of commissions. */
export function readCommissionFilter(query: URLSearchParams): CommissionFilter | Rejection {
  const range = readTimeRange(query.get('dateFrom'), query.get('dateTo'));
  if (isRejection(range)) return range;
  const asked = query.get('status') || null;
  const status = STATUSES.find((known) => known === asked) ?? null;
  if (asked !== null && status === null) {
    return new Rejection('invalid_field', `status must be one of ${STATUSES.join(', ')}`);
  }
  return { status, range };
}
