import { parseRowId } from '@affkit/protocol';
import type { Kysely, Selectable } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import { withoutIndex, withoutTextIndex } from '../database/without-index.ts';
import { type CommissionFilter, type SelectedCommissions, selectCommissions } from './commission-filter.ts';
import { type CommissionTotal, selectTotals, sumByDays, sumDays, sumRows } from './commission-totals.ts';

const PORTAL_COMMISSION_COLUMNS = [
  'commissions.program_id',
  'commissions.id',
  'commissions.partner_id',
  'commissions.status',
  'commissions.amount_cents',
  'commissions.deducted_cents',
  'commissions.adjusted_cents',
  'commissions.currency',
  'commissions.refund_reason',
  'commissions.commission_at',
  'commissions.releasable_at',
  'commissions.needs_approval',
  'commissions.disputed',
  'commissions.approved_at',
  'commissions.rejected_at',
  'commissions.payout_id',
  'commissions.paid_at',
] as const;

type WithoutTable<T> = T extends `commissions.${infer Column}` ? Column : never;

/** The state of a commission, without data of its sale and customer. */
export type CommissionState = Pick<
  Selectable<Schema['commissions']>,
  WithoutTable<(typeof PORTAL_COMMISSION_COLUMNS)[number]>
>;

/** The programs and partners that a list covers. Rows of all other partners are excluded. */
export interface PortalSelection {
  readonly programIds: readonly number[];
  /** Never empty. */
  readonly partnerIds: readonly number[];
}

export interface PortalCommissionFilter extends CommissionFilter {
  readonly payoutId: number | null;
  /**
   * The id of a commission, or the complete transaction id of its sale. Undefined matches every commission.
   */
  readonly q: string | undefined;
}

/**
 * Lists a page of the partners' commissions in the programs, latest first. The total is the sum of stored totals,
 * unless the filter selects a commission or a payout.
 */
export async function listPortalCommissions(
  db: Kysely<Schema>,
  selection: PortalSelection,
  filter: PortalCommissionFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ commissions: CommissionState[]; total: number }> {
  const totals = await sumPortalCommissions(db, selection, filter);
  const total = totals.reduce((sum, { count }) => sum + count, 0);
  // To find no row, the database would read all commissions of the partners.
  if (page.offset >= total) return { commissions: [], total };
  return {
    commissions: await readPage(
      db,
      await selectPortalCommissions(db, selection, filter, selectForPage),
      page,
    ),
    total,
  };
}

/**
 * Lists the commissions after `lastId`, in the order of `listPortalCommissions`. If `lastId` is null, lists
 * from the start.
 */
export async function listPortalCommissionsAfter(
  db: Kysely<Schema>,
  selection: PortalSelection,
  filter: PortalCommissionFilter,
  lastId: number | null,
  limit: number,
): Promise<CommissionState[]> {
  const { query: matching } = await selectPortalCommissions(db, selection, filter, selectForPage);
  const query = matching.$if(lastId !== null, (all) => all.where('commissions.id', '<', lastId ?? 0));
  return await readPage(db, { query }, { offset: 0, limit });
}

export async function findPortalCommission(
  db: Kysely<Schema>,
  { programIds, partnerIds }: PortalSelection,
  id: number,
): Promise<CommissionState | null> {
  const row = await db
    .selectFrom('commissions')
    .select(PORTAL_COMMISSION_COLUMNS)
    .where('commissions.program_id', 'in', idList(programIds))
    .where('commissions.partner_id', 'in', idList(partnerIds))
    .where('commissions.id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Sums the partners' commissions by status and currency, ordered by both. The sums of whole days are read from
 * stored totals, unless the filter selects a commission or a payout.
 */
export async function sumPortalCommissions(
  db: Kysely<Schema>,
  selection: PortalSelection,
  filter: PortalCommissionFilter,
): Promise<CommissionTotal[]> {
  const ofRows = async (range: CommissionFilter['range']) => {
    const { query } = await selectPortalCommissions(db, selection, { ...filter, range });
    return await sumRows(query);
  };
  if (filter.q !== undefined || filter.payoutId !== null) return await ofRows(filter.range);
  const totals = selectTotals(db)
    .where('program_id', 'in', idList(selection.programIds))
    // Do not use `idList` here. It would add the id 0, whose rows are the totals of all partners.
    .where('partner_id', 'in', [...selection.partnerIds]);
  return await sumByDays(filter.range, (days) => sumDays(totals, filter.status, days), ofRows);
}

/** The query is in an object, because awaiting a query would run it. */
async function selectPortalCommissions(
  db: Kysely<Schema>,
  selection: PortalSelection,
  { payoutId, q, ...filter }: PortalCommissionFilter,
  select = selectCommissions,
): Promise<{ readonly query: SelectedCommissions }> {
  const ids = q === undefined ? null : await findCommissionIds(db, selection.programIds, q);
  // With an index on partners, Postgres would read all commissions of the partners.
  const partner = ids === null ? 'commissions.partner_id' : withoutIndex('commissions.partner_id');
  const query = select(db, filter)
    .where('commissions.program_id', 'in', idList(selection.programIds))
    .where(partner, 'in', idList(selection.partnerIds))
    .$if(payoutId !== null, (all) => all.where('commissions.payout_id', '=', payoutId ?? 0))
    .$if(ids !== null, (all) => all.where('commissions.id', 'in', idList(ids ?? [])));
  return { query };
}

/**
 * Selects the commissions for a page. With a status, it prevents the use of the indexes on status and time. They contain
 * the commissions of all partners, so a partner with few commissions would wait until all of them are sorted.
 */
function selectForPage(db: Kysely<Schema>, { status, range }: CommissionFilter): SelectedCommissions {
  if (status === null) return selectCommissions(db, { status, range });
  const { from, to } = range;
  const at = withoutIndex('commissions.commission_at');
  return selectCommissions(db, { status: null, range: { from: null, to: null } })
    .where(withoutTextIndex('commissions.status'), '=', status)
    .$if(from !== null, (query) => query.where(at, '>=', from ?? 0))
    .$if(to !== null, (query) => query.where(at, '<=', to ?? 0));
}

/**
 * Lists the commissions whose id or complete transaction id is `text`, also of other partners. If parts of a
 * transaction id matched, a partner could guess the rest. They are looked up separately, because the planner uses no
 * index for an OR of both.
 */
async function findCommissionIds(
  db: Kysely<Schema>,
  programIds: readonly number[],
  text: string,
): Promise<number[]> {
  const rows = await db
    .selectFrom('sales')
    .innerJoin('commissions', (join) =>
      join
        .onRef('commissions.program_id', '=', 'sales.program_id')
        .onRef('commissions.sale_id', '=', 'sales.id'),
    )
    .select('commissions.id')
    .where('sales.program_id', 'in', idList(programIds))
    .where('sales.is_test', '=', 0)
    .where('sales.processor_event_id', '=', text)
    .execute();
  const id = parseRowId(text.replace(/^#/, ''));
  return [...rows.map((row) => row.id), ...(id === null ? [] : [id])];
}

/** First finds the ids of the page with an index, and then reads only these rows. */
async function readPage(
  db: Kysely<Schema>,
  { query }: { readonly query: SelectedCommissions },
  page: { readonly offset: number; readonly limit: number },
): Promise<CommissionState[]> {
  const shown = query
    .select(['commissions.program_id', 'commissions.id'])
    .orderBy('commissions.id', 'desc')
    .limit(page.limit)
    .offset(page.offset);
  return await db
    .selectFrom(shown.as('shown'))
    .innerJoin('commissions', (join) =>
      join.onRef('commissions.program_id', '=', 'shown.program_id').onRef('commissions.id', '=', 'shown.id'),
    )
    .select(PORTAL_COMMISSION_COLUMNS)
    .orderBy('commissions.id', 'desc')
    .execute();
}
