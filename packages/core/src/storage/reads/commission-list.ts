import { type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { type ListTotal, type Page, readCountedPage } from '../database/list-page.ts';
import type { Schema } from '../database/schema.ts';
import { type CommissionView, joinSaleAndPartner } from '../money/commission-view.ts';
import {
  type CommissionTotal,
  filteredCommissions,
  isSearchCapped,
  type ProgramCommissionFilter,
  sumCommissions,
} from './commission-totals.ts';

/**
 * The sort order of the list. `amount_cents` sorts by currency, from A to Z, and then by amount. `order` does not
 * apply to the currencies.
 */
export interface CommissionOrder {
  readonly sort: 'commission_date' | 'amount_cents';
  readonly order: 'asc' | 'desc';
}

const SORT_COLUMNS = {
  commission_date: 'commissions.commission_at',
  amount_cents: 'commissions.amount_cents',
} as const;

type CommissionReader = Pick<Engine, 'dialect' | 'read'>;

/**
 * Lists a page of a program's commissions. Without a search, there is an index for each filter and each sort
 * order.
 */
export async function listCommissions(
  engine: CommissionReader,
  programId: number,
  filter: ProgramCommissionFilter,
  by: CommissionOrder,
  page: Page,
): Promise<{ commissions: CommissionView[]; total: ListTotal }> {
  if (filter.q !== undefined) {
    const selected = selectIds(engine, programId, filter);
    const byCurrency = by.sort === 'amount_cents' ? selected.orderBy('commissions.currency') : selected;
    const matching = sortIds(byCurrency, by);
    return await listMatching(engine, programId, matching, filter.q, page);
  }
  const totals = await sumCommissions(engine, programId, filter);
  const shown =
    by.sort === 'amount_cents'
      ? await listByAmount(engine, programId, filter, by, totals, page)
      : await sortIds(selectIds(engine, programId, filter), by)
          .limit(page.limit)
          .offset(page.offset)
          .execute();
  return {
    commissions: await findCommissions(engine.read, programId, shown),
    total: { rows: totals.reduce((sum, { count }) => sum + count, 0), isCapped: false },
  };
}

type CommissionIds = SelectQueryBuilder<Schema, 'commissions', { id: number }>;

function selectIds(
  engine: CommissionReader,
  programId: number,
  filter: ProgramCommissionFilter,
): CommissionIds {
  return filteredCommissions(engine, programId, filter).select('commissions.id');
}

function sortIds(selected: CommissionIds, { sort, order }: CommissionOrder): CommissionIds {
  return selected.orderBy(SORT_COLUMNS[sort], order).orderBy('commissions.id', order);
}

/** Selects the ids of the matching commissions in a currency, sorted by amount. */
function selectCurrency(
  engine: CommissionReader,
  programId: number,
  filter: ProgramCommissionFilter,
  by: CommissionOrder,
  currency: string,
) {
  const { partnerId, range } = filter;
  // SQLite has no statistics. With these filters, it would still choose the index on amounts, and read all commissions
  // in the currency. The plus sign before the column prevents the use of that index.
  const isSelective = partnerId !== null || range.from !== null || range.to !== null;
  const column =
    engine.dialect === 'sqlite' && isSelective ? sql<string>`+commissions.currency` : 'commissions.currency';
  return sortIds(selectIds(engine, programId, filter), by).where(column, '=', currency);
}

/**
 * Lists the ids of a page that is sorted by amount. Each currency of the page is read separately, so that the same
 * index can be used for ascending and for descending amounts.
 * @param totals the number of matching commissions in each currency
 */
async function listByAmount(
  engine: CommissionReader,
  programId: number,
  filter: ProgramCommissionFilter,
  by: CommissionOrder,
  totals: readonly CommissionTotal[],
  { offset, limit }: Page,
): Promise<{ id: number }[]> {
  const counts = new Map<string, number>();
  for (const { currency, count } of totals) counts.set(currency, (counts.get(currency) ?? 0) + count);
  const shown: { id: number }[] = [];
  let skipped = 0;
  for (const [currency, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const start = Math.max(0, offset - skipped);
    const missing = limit - shown.length;
    skipped += count;
    if (start >= count || missing === 0) continue;
    const sorted = selectCurrency(engine, programId, filter, by, currency);
    shown.push(...(await sorted.limit(missing).offset(start).execute()));
  }
  return shown;
}

/** Lists a page of the commissions that match a search. The same statement counts them. */
async function listMatching(
  { dialect, read }: CommissionReader,
  programId: number,
  matching: CommissionIds,
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

/** The fields of the last commission on a page. They determine where the next page starts. */
type CommissionKey = Pick<CommissionView, 'id' | 'commission_at' | 'amount_cents' | 'currency'>;

/**
 * Lists the commissions after `last`, or from the start if `last` is null. An index finds them, so no other
 * commissions are read.
 */
export async function listCommissionsAfter(
  engine: CommissionReader,
  programId: number,
  filter: ProgramCommissionFilter,
  by: CommissionOrder,
  last: CommissionKey | null,
  limit: number,
): Promise<CommissionView[]> {
  if (by.sort === 'amount_cents') {
    const shown = await listAmountsAfter(engine, programId, filter, by, last, limit);
    return await findCommissions(engine.read, programId, shown);
  }
  const shown = sortIds(selectIds(engine, programId, filter), by)
    .$if(last !== null, (query) => query.where(isAfter(by, last?.commission_at ?? 0, last?.id ?? 0)))
    .limit(limit);
  return await findCommissions(engine.read, programId, await shown.execute());
}

/** Lists the ids of the commissions after `last`, sorted by amount, one currency after the other. */
async function listAmountsAfter(
  { dialect, read }: CommissionReader,
  programId: number,
  filter: ProgramCommissionFilter,
  by: CommissionOrder,
  last: CommissionKey | null,
  limit: number,
): Promise<{ id: number }[]> {
  const shown: { id: number }[] = [];
  let currency = last?.currency ?? (await findNextCurrency(read, programId, ''));
  while (currency !== null && shown.length < limit) {
    const sorted = selectCurrency({ dialect, read }, programId, filter, by, currency)
      .$if(currency === last?.currency, (query) =>
        query.where(isAfter(by, last?.amount_cents ?? 0, last?.id ?? 0)),
      )
      .limit(limit - shown.length);
    shown.push(...(await sorted.execute()));
    currency = await findNextCurrency(read, programId, currency);
  }
  return shown;
}

/**
 * Finds the next currency after `currency`, from A to Z, in which the program has commissions. Returns null after the
 * last one. The query uses an index.
 */
async function findNextCurrency(
  db: Kysely<Schema>,
  programId: number,
  currency: string,
): Promise<string | null> {
  const { next } = await db
    .selectFrom('commissions')
    .select((eb) => eb.fn.min<string | null>('currency').as('next'))
    .where('program_id', '=', programId)
    .where('currency', '>', currency)
    .executeTakeFirstOrThrow();
  return next;
}

/** Whether a commission comes after the commission that has `value` in the sort column and the id `id`. */
function isAfter({ sort, order }: CommissionOrder, value: number, id: number): RawBuilder<SqlBool> {
  const comparison = sql.raw(order === 'asc' ? '>' : '<');
  return sql<SqlBool>`(${sql.ref(SORT_COLUMNS[sort])}, commissions.id) ${comparison} (${value}, ${id})`;
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
