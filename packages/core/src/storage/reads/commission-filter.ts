import type { Kysely } from 'kysely';
import type { CommissionStatus } from '../../domain/commission-status.ts';
import type { TimeRange } from '../../domain/time-range.ts';
import type { Schema } from '../database/schema.ts';

/** Filters commissions. Null matches any value. `range` applies to the time of the sale. */
export interface CommissionFilter {
  readonly status: CommissionStatus | null;
  readonly range: TimeRange;
}

export type SelectedCommissions = ReturnType<typeof selectCommissions>;

/** Selects the commissions that match the filter, in all programs. */
export function selectCommissions(db: Kysely<Schema>, { status, range }: CommissionFilter) {
  return db
    .selectFrom('commissions')
    .$if(status !== null, (query) => query.where('commissions.status', '=', status ?? 'pending'))
    .$if(range.from !== null, (query) => query.where('commissions.commission_at', '>=', range.from ?? 0))
    .$if(range.to !== null, (query) => query.where('commissions.commission_at', '<=', range.to ?? 0));
}
