import { type RawBuilder, sql } from 'kysely';
import { MAX_EVENT_DELAY_MS } from '../tracking/click-history.ts';

/**
 * A condition, with a leading AND, that every uncounted click meets. With it, Postgres reads only the partitions
 * of the latest clicks.
 * @param asOf a time, or an SQL expression for it. All events that were stored before this time are counted. Null until
 * such a time is known
 */
export function sinceCounted(asOf: RawBuilder<unknown> | number | null): RawBuilder<unknown> {
  return sql`AND e.click_at >= COALESCE(CAST(${asOf} AS BIGINT), 0) - ${sql.lit(MAX_EVENT_DELAY_MS)}`;
}
