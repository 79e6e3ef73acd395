import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { type ListTotal, type Page, readCountedPage } from '../database/listable.ts';
import type { Schema } from '../database/schema.ts';
import { type CommissionView, joinSaleAndPartner } from '../money/commission-view.ts';
import {
  filteredCommissions,
  isSearchCapped,
  type ProgramCommissionFilter,
  sumCommissions,
} from './commission-totals.ts';

/** The sort order of the list. Amounts are compared as numbers, regardless of currency. */
export interface CommissionOrder {
  readonly sort: 'commission_date' | 'amount_cents';
  readonly order: 'asc' | 'desc';
}

const SORT_COLUMNS = {
  commission_date: 'commissions.commission_at',
  amount_cents: 'commissions.amount_cents',
} as const;

/**
 * Lists a page of a program's commissions. Except for the search, there is an index for each filter and sort
 * order.
 */
export async function listCommissions(
  engine: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  filter: ProgramCommissionFilter,
  { sort, order }: CommissionOrder,
  page: Page,
): Promise<{ commissions: CommissionView[]; total: ListTotal }> {
  const matching = filteredCommissions(engine, programId, filter)
    .select('commissions.id')
    .orderBy(SORT_COLUMNS[sort], order)
    .orderBy('commissions.id', order);
  if (filter.q !== undefined) return await listMatching(engine, programId, matching, filter.q, page);
  const totals = await sumCommissions(engine, programId, filter);
  const shown = await matching.limit(page.limit).offset(page.offset).execute();
  return {
    commissions: await findCommissions(engine.read, programId, shown),
    total: { rows: totals.reduce((sum, { count }) => sum + count, 0), isCapped: false },
  };
}

/** Lists a page of the commissions that match a search. The same statement counts them. */
async function listMatching(
  { dialect, read }: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  matching: SelectQueryBuilder<Schema, 'commissions', { id: number }>,
  q: string,
  page: Page,
): Promise<{ commissions: CommissionView[]; total: ListTotal }> {
  const isCapped = isSearchCapped(dialect, programId, q).as('is_capped');
  const selected = matching.select([sql<number>`count(*) OVER ()`.as('total'), isCapped]);
  const { rows, counted } = await readCountedPage(
    ({ offset, limit }) => selected.limit(limit).offset(offset).execute(),
    page,
  );
  const { is_capped } = counted ?? (await read.selectNoFrom(isCapped).executeTakeFirstOrThrow());
  return {
    commissions: await findCommissions(read, programId, rows),
    total: { rows: Number(counted?.total ?? 0), isCapped: Boolean(is_capped) },
  };
}

/**
 * Lists the commissions after `last`, or from the start if `last` is null. An index finds them, so no other
 * commissions are read.
 */
export async function listCommissionsAfter(
  engine: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  filter: ProgramCommissionFilter,
  { sort, order }: CommissionOrder,
  last: Pick<CommissionView, 'id' | 'commission_at' | 'amount_cents'> | null,
  limit: number,
): Promise<CommissionView[]> {
  const column = SORT_COLUMNS[sort];
  const value = sort === 'amount_cents' ? last?.amount_cents : last?.commission_at;
  const comparison = sql.raw(order === 'asc' ? '>' : '<');
  const shown = filteredCommissions(engine, programId, filter)
    .select('commissions.id')
    .$if(last !== null, (query) =>
      query.where(
        sql<boolean>`(${sql.ref(column)}, commissions.id) ${comparison} (${value ?? 0}, ${last?.id ?? 0})`,
      ),
    )
    .orderBy(column, order)
    .orderBy('commissions.id', order)
    .limit(limit);
  return await findCommissions(engine.read, programId, await shown.execute());
}

/** Loads commissions in the order of `keys`, with the data of their sales. */
async function findCommissions(
  db: Kysely<Schema>,
  programId: number,
  keys: readonly { readonly id: number }[],
): Promise<CommissionView[]> {
  const ids = keys.map(({ id }) => id);
  const rows = await joinSaleAndPartner(
    db
      .selectFrom('commissions')
      .where('commissions.program_id', '=', programId)
      .where('commissions.id', 'in', idList(ids)),
  ).execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
