import { parseRowId } from '@affkit/protocol';
import type { Kysely } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import { withoutIndex, withoutTextIndex } from '../database/without-index.ts';
import type { CommissionRow, WithoutTable } from '../money/commissions.ts';
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

type PortalReader = Pick<Engine, 'dialect' | 'read'>;

/** The state of a commission, without data of its sale and customer. */
export type CommissionState = Pick<CommissionRow, WithoutTable<(typeof PORTAL_COMMISSION_COLUMNS)[number]>>;

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
  engine: PortalReader,
  selection: PortalSelection,
  filter: PortalCommissionFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ commissions: CommissionState[]; total: number }> {
  const totals = await sumPortalCommissions(engine.read, selection, filter);
  const total = totals.reduce((sum, { count }) => sum + count, 0);
  // Without this check, the database would read all commissions of the partners to find that the page is empty.
  if (page.offset >= total) return { commissions: [], total };
  return { commissions: await readPage(engine, selection, filter, { ...page, lastId: null }), total };
}

/**
 * Lists the commissions after `lastId`, in the order of `listPortalCommissions`. If `lastId` is null, lists
 * from the start.
 */
export async function listPortalCommissionsAfter(
  engine: PortalReader,
  selection: PortalSelection,
  filter: PortalCommissionFilter,
  lastId: number | null,
  limit: number,
): Promise<CommissionState[]> {
  return await readPage(engine, selection, filter, { lastId, offset: 0, limit });
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
    const all = selectCommissions(db, { status: filter.status, range });
    const { query } = await selectPortalCommissions(db, all, selection, filter);
    return await sumRows(query);
  };
  if (filter.q !== undefined || filter.payoutId !== null) return await ofRows(filter.range);
  const totals = selectTotals(db)
    .where('program_id', 'in', idList(selection.programIds))
    // Do not use `idList` here. It would add the id 0, whose rows are the totals of all partners.
    .where('partner_id', 'in', [...selection.partnerIds]);
  return await sumByDays(filter.range, (days) => sumDays(totals, filter.status, days), ofRows);
}

/**
 * Selects from `all` the commissions of the partners that match the rest of the filter. Returns the query inside an
 * object, because awaiting the query itself would run it.
 */
async function selectPortalCommissions(
  db: Kysely<Schema>,
  all: SelectedCommissions,
  selection: PortalSelection,
  { payoutId, q }: Pick<PortalCommissionFilter, 'payoutId' | 'q'>,
): Promise<{ readonly query: SelectedCommissions }> {
  const ids = q === undefined ? null : await findCommissionIds(db, selection.programIds, q);
  // With an index on partners, Postgres would read all commissions of the partners.
  const partner = ids === null ? 'commissions.partner_id' : withoutIndex('commissions.partner_id');
  const query = all
    .where('commissions.program_id', 'in', idList(selection.programIds))
    .where(partner, 'in', idList(selection.partnerIds))
    .$if(payoutId !== null, (rows) => rows.where('commissions.payout_id', '=', payoutId ?? 0))
    .$if(ids !== null, (rows) => rows.where('commissions.id', 'in', idList(ids ?? [])));
  return { query };
}

/**
 * Selects the commissions for a page. SQLite must use an index by partner, or by partner and time. SQLite has no
 * statistics. For a filter with a status or both ends of a range, it would use an index with the commissions of all
 * partners.
 */
function selectForPage({ dialect, read }: PortalReader, filter: CommissionFilter): SelectedCommissions {
  if (dialect !== 'sqlite') return selectCommissions(read, filter);
  const { status, range } = filter;
  const { from, to } = range;
  const hasBothEnds = from !== null && to !== null;
  return selectCommissions(read, { status: null, range: hasBothEnds ? { from, to: null } : range })
    .$if(hasBothEnds, (rows) => rows.where(withoutIndex('commissions.commission_at'), '<=', to ?? 0))
    .$if(status !== null, (rows) =>
      rows.where(withoutTextIndex('commissions.status'), '=', status ?? 'pending'),
    );
}

/**
 * Lists the commissions whose id or complete transaction id is `text`, including those of other partners. If parts of a
 * transaction id matched, a partner could guess the rest. The two kinds of ids are looked up separately, because the
 * planner does not use an index for an OR of both.
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
  engine: PortalReader,
  selection: PortalSelection,
  filter: PortalCommissionFilter,
  page: { readonly lastId: number | null; readonly offset: number; readonly limit: number },
): Promise<CommissionState[]> {
  const { lastId } = page;
  const { query } = await selectPortalCommissions(
    engine.read,
    selectForPage(engine, filter),
    selection,
    filter,
  );
  const shown = query
    .$if(lastId !== null, (rows) => rows.where('commissions.id', '<', lastId ?? 0))
    .select(['commissions.program_id', 'commissions.id'])
    .orderBy('commissions.id', 'desc')
    .limit(page.limit)
    .offset(page.offset);
  return await engine.read
    .selectFrom(shown.as('shown'))
    .innerJoin('commissions', (join) =>
      join.onRef('commissions.program_id', '=', 'shown.program_id').onRef('commissions.id', '=', 'shown.id'),
    )
    .select(PORTAL_COMMISSION_COLUMNS)
    .orderBy('commissions.id', 'desc')
    .execute();
}
