import { type RawBuilder, sql } from 'kysely';
import { MAX_EVENT_DELAY_MS } from '../tracking/click-history.ts';

/**
 * Builds the rest of a JOIN that adds the first click of each event's customer, as `c`. It is stored together
 * with the customer, so Postgres reads only the partition of that time. If it was removed, no row is added: a
 * later click must not take its place.
 * @param event the name of the table with the events
 */
export function joinFirstClick(event: string): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${event}.${column}`);
  const isFirstTime = (click: string) => sql`${sql.ref(`${click}.click_at`)} <= k.created_at
    AND ${sql.ref(`${click}.click_at`)} >= k.created_at - ${sql.lit(MAX_EVENT_DELAY_MS)}`;
  return sql`JOIN customers AS k ON k.program_id = ${of('program_id')} AND k.id = ${of('customer_id')}
    LEFT JOIN click_events AS c ON c.program_id = k.program_id AND ${isFirstTime('c')} AND c.id = (
      SELECT MIN(f.id) FROM click_events AS f
      WHERE f.program_id = k.program_id AND f.customer_id = k.id AND ${isFirstTime('f')})`;
}
