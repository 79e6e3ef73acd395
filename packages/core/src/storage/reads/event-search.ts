import { sql } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import {
  capPage,
  capTotal,
  type ListTotal,
  MAX_LISTED,
  type Page,
  readCountedPage,
} from '../database/list-page.ts';
import { withoutIndex } from '../database/without-index.ts';
import { selectSalesByTransactionPrefix } from './commission-totals.ts';
import { selectCustomersByName } from './customer-list.ts';
import { type EventSource, eventConditions, type ListedKey } from './event-sources.ts';

/** The maximum number of matching customers whose events a search lists. */
const MAX_CUSTOMERS = 100;

/**
 * Lists a page of the events of the matching customers. The search text is a click id, or the start of a
 * customer key or transaction id. Only the events of these customers are read.
 */
export async function searchEvents(
  { dialect, read }: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  sources: readonly EventSource[],
  q: string,
  page: Page,
): Promise<{ keys: readonly ListedKey[]; total: ListTotal }> {
  if (sources.length === 0) return { keys: [], total: capTotal(0) };
  // CROSS JOIN makes SQLite start with the customers.
  const events = sources.map((source) => {
    const { from, to } = source.filter.range;
    const at = withoutIndex(source.at);
    return sql`SELECT * FROM (SELECT ${sql.lit(source.type)} AS type, ${sql.ref(`${source.table}.id`)} AS id,
        ${sql.ref(source.at)} AS at
      FROM customers_found CROSS JOIN ${sql.table(source.table)}
      WHERE program_id = ${programId} AND customer_id = customers_found.found_id AND ${withoutIndex('is_test')} = 0
        AND ${at} >= ${Math.max(from ?? Number.MIN_SAFE_INTEGER, source.completeFrom ?? Number.MIN_SAFE_INTEGER)} AND ${at} <= ${to ?? Number.MAX_SAFE_INTEGER}
        ${eventConditions(source, programId)}
      ORDER BY at DESC, id DESC LIMIT ${MAX_LISTED + 1}) AS ${sql.ref(source.type)}`;
  });
  const readRows = async ({ offset, limit }: Page) => {
    const { rows } = await sql<ListedKey & { total: number }>`
      WITH customers_found AS (
        SELECT id AS found_id FROM (${selectCustomersByName(dialect, programId, q, MAX_CUSTOMERS)}) AS named
        UNION SELECT customer_id FROM (${selectSalesByTransactionPrefix(dialect, programId, q, MAX_CUSTOMERS)}) AS sold
        LIMIT ${MAX_CUSTOMERS})
      SELECT type, id, at, count(*) OVER () AS total FROM (${sql.join(events, sql` UNION ALL `)}) AS events
      ORDER BY at DESC, type DESC, id DESC LIMIT ${limit} OFFSET ${offset}`.execute(read);
    return rows;
  };
  const { rows, counted } = await readCountedPage(readRows, capPage(page));
  return { keys: rows, total: capTotal(Number(counted?.total ?? 0)) };
}
