import type { CommissionStatus } from '../domain/commission-status.ts';
import { readTimeRange } from '../domain/time-range.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { CommissionFilter } from '../storage/reads/commission-list.ts';
import { readChoice } from './fields.ts';

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
  const status = readChoice(query, 'status', STATUSES);
  return isRejection(status) ? status : { status, range };
}
