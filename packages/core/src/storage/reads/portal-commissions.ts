import { parseRowId } from '@affkit/protocol';
import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import { type CommissionFilter, selectCommissions } from './commission-filter.ts';
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
 * Lists a page of the partners' commissions in the programs, latest first. The page and the total are read
 * with the index by partner, so the cost does not depend on the commissions of other partners.
 */
export async function listPortalCommissions(
  db: Kysely<Schema>,
  selection: PortalSelection,
  filter: PortalCommissionFilter,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ commissions: CommissionState[]; total: number }> {
  const selected = selectPortalCommissions(db, selection, filter);
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { commissions: await readPage(db, selected, page), total };
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
  const selected = selectPortalCommissions(db, selection, filter).$if(lastId !== null, (query) =>
    query.where('commissions.id', '<', lastId ?? 0),
  );
  return await readPage(db, selected, { offset: 0, limit });
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
  const ofRows = (range: CommissionFilter['range']) =>
    sumRows(selectPortalCommissions(db, selection, { ...filter, range }));
  if (filter.q !== undefined || filter.payoutId !== null) return await ofRows(filter.range);
  const totals = selectTotals(db)
    .where('program_id', 'in', idList(selection.programIds))
    // Do not use `idList` here. It would add the id 0, whose rows are the totals of all partners.
    .where('partner_id', 'in', [...selection.partnerIds]);
  return await sumByDays(filter.range, (days) => sumDays(totals, filter.status, days), ofRows);
}

function selectPortalCommissions(
  db: Kysely<Schema>,
  selection: PortalSelection,
  { payoutId, q, ...filter }: PortalCommissionFilter,
) {
  return selectCommissions(db, filter)
    .where('commissions.program_id', 'in', idList(selection.programIds))
    .where('commissions.partner_id', 'in', idList(selection.partnerIds))
    .$if(payoutId !== null, (query) => query.where('commissions.payout_id', '=', payoutId ?? 0))
    .$if(q !== undefined, (query) => query.where(matchesIdOrTransaction(selection.programIds, q ?? '')));
}

/**
 * Whether the text is the id of the commission or the complete transaction id. If parts of a transaction id
 * matched, a partner could guess the rest.
 */
function matchesIdOrTransaction(programIds: readonly number[], text: string): RawBuilder<SqlBool> {
  const id = parseRowId(text.replace(/^#/, '')) ?? 0;
  return sql<SqlBool>`(commissions.id = ${id} OR commissions.sale_id IN (SELECT sales.id FROM sales
    WHERE sales.program_id IN (${sql.join(idList(programIds))}) AND sales.is_test = 0
      AND sales.processor_event_id = ${text}))`;
}

/** First finds the ids of the page with an index, and then reads only these rows. */
async function readPage(
  db: Kysely<Schema>,
  selected: ReturnType<typeof selectPortalCommissions>,
  page: { readonly offset: number; readonly limit: number },
): Promise<CommissionState[]> {
  const shown = selected
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
