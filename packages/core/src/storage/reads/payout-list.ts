import { type RawBuilder, sql } from 'kysely';
import type { PayoutStatus } from '../../domain/payout-status.ts';
import type { TimeRange } from '../../domain/time-range.ts';
import type { Engine } from '../database/engine/engine.ts';
import type { Page } from '../database/list-page.ts';
import { containsText, prefixKey } from '../database/text-search.ts';
import { findPayouts, type PayoutView } from '../money/payouts.ts';
import { listSortedIds } from '../programs/sorted-list.ts';

/** The filters and the sort order of a list of payouts. A missing filter matches all payouts. */
export interface PayoutListQuery {
  readonly q?: string | undefined;
  readonly status?: PayoutStatus | undefined;
  readonly partner_id?: number | undefined;
  /** Selects the payouts that were created in this range. */
  readonly range: TimeRange;
  readonly sort: 'created_at' | 'paid_at' | 'amount_cents' | 'partner_name';
  readonly order: 'asc' | 'desc';
}

/** Lists a page of the program's payouts. `amount_cents` sorts by currency, from A to Z, and then by amount. */
export async function listPayouts(
  { dialect, read }: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  { q, status, partner_id: partnerId, range, sort, order }: PayoutListQuery,
  page: Page,
): Promise<{ payouts: PayoutView[]; total: number }> {
  const usesPartner = q !== undefined || sort === 'partner_name';
  const from = usesPartner
    ? sql`payouts AS listed JOIN partners ON partners.id = listed.partner_id`
    : sql`payouts AS listed`;
  const ofStatus = status === undefined ? sql`` : sql`AND listed.status = ${status}`;
  const ofPartner = partnerId === undefined ? sql`` : sql`AND listed.partner_id = ${partnerId}`;
  const since = range.from === null ? sql`` : sql`AND listed.created_at >= ${range.from}`;
  const until = range.to === null ? sql`` : sql`AND listed.created_at <= ${range.to}`;
  const found =
    q === undefined
      ? sql``
      : sql`AND ${containsText(dialect, ['partners.name', 'partners.email', 'listed.reference'], q)}`;
  const where = sql`listed.program_id = ${programId} ${ofStatus} ${ofPartner} ${since} ${until} ${found}`;
  const rows = { from, where, order, isSearch: q !== undefined, key: sortKey() };
  const { ids, total } = await listSortedIds(read, rows, page);
  return { payouts: await findPayouts(read, programId, ids), total };

  function sortKey(): RawBuilder<unknown> {
    switch (sort) {
      case 'created_at':
        return sql`listed.id`;
      case 'paid_at':
        // SQLite sorts NULL before all numbers, and Postgres after them.
        return sql`COALESCE(listed.paid_at, 0)`;
      case 'amount_cents':
        return sql`listed.currency, listed.amount_cents`;
      case 'partner_name':
        return sql.raw(prefixKey(dialect, 'partners.name'));
    }
  }
}
