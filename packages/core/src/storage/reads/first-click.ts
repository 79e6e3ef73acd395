import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import { withoutIndex } from '../database/without-index.ts';
import { MAX_EVENT_DELAY_MS } from '../tracking/click-history.ts';

/**
 * Builds a LEFT JOIN that adds the first click of each event's customer, as `c`, to a table of events with the name
 * `e`. The first click is the one that was stored together with the customer. If it was removed, all columns of `c` are
 * null, because a later click must not take its place.
 *
 * On Postgres, the lateral subquery makes the planner look up the click of each event. For a plain join, a planner
 * without statistics of the partitions would read all clicks of the program for each event.
 * @param ofPartner whether to add the customer's first click on a link of the event's partner, not the first click on
 * any link. With the model `last_click`, another partner may have sent the customer before. In this case too, all
 * columns of `c` are null if the first click of the customer was removed
 */
export function joinFirstClick(
  dialect: Engine['dialect'],
  { ofPartner = false }: { readonly ofPartner?: boolean } = {},
): RawBuilder<unknown> {
  const stored = sql`FROM click_events AS f
    WHERE f.program_id = e.program_id AND f.customer_id = e.customer_id`;
  const clicks = ofPartner ? sql`${stored} AND ${withoutIndex('f.partner_id')} = e.partner_id` : stored;
  const click =
    dialect === 'postgres'
      ? sql`LATERAL (SELECT f.* ${clicks} ORDER BY ${withoutIndex('f.id')} LIMIT 1) AS c ON TRUE`
      : sql`click_events AS c ON c.program_id = e.program_id AND c.id = (SELECT MIN(f.id) ${clicks})`;
  const customerSince = sql`(SELECT k.created_at FROM customers AS k
    WHERE k.program_id = e.program_id AND k.id = e.customer_id)`;
  const isFirst = (clickAt: string) =>
    sql`${withoutIndex(clickAt)} BETWEEN ${customerSince} - ${sql.lit(MAX_EVENT_DELAY_MS)}
      AND ${customerSince}`;
  const isFirstStored = ofPartner
    ? sql`(${isFirst('c.click_at')} OR EXISTS (SELECT 1 ${stored} AND ${isFirst('f.click_at')}))`
    : isFirst('c.click_at');
  return sql`LEFT JOIN ${click} AND ${isFirstStored}`;
}
