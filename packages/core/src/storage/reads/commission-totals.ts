import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { DAY_MS } from '../../domain/calendar.ts';
import type { CommissionStatus } from '../../domain/commission-status.ts';
import type { DayRange } from '../../domain/period.ts';
import type { TimeRange } from '../../domain/time-range.ts';
import type { Engine } from '../database/engine/engine.ts';
import { MAX_LISTED } from '../database/list-page.ts';
import { prefixKey, startsWith } from '../database/text-search.ts';
import { withoutIndex } from '../database/without-index.ts';
import { WHOLE_PROGRAM } from '../tracking/total-owner.ts';
import { type CommissionFilter, type SelectedCommissions, selectCommissions } from './commission-filter.ts';

type TotalsReader = Pick<Engine, 'dialect' | 'read'>;

/** Filters the commissions of a program. Null matches any value. */
export interface ProgramCommissionFilter extends CommissionFilter {
  readonly partnerId: number | null;
  readonly payoutId: number | null;
  /**
   * The start of a transaction id. The search covers only the first `MAX_LISTED` matching transaction ids.
   */
  readonly q: string | undefined;
  /** Whether to select only commissions that need the approval of a user. */
  readonly isInReview: boolean;
}

/** The number of commissions with one status and currency, and the sums of their amounts. */
export interface CommissionTotal {
  readonly status: CommissionStatus;
  readonly currency: string;
  readonly count: number;
  readonly amountCents: number;
  readonly deductedCents: number;
  readonly adjustedCents: number;
}

/** Selects the program's commissions that match the filter. */
export function filteredCommissions(
  { dialect, read }: TotalsReader,
  programId: number,
  { partnerId, payoutId, q, isInReview, ...filter }: ProgramCommissionFilter,
): SelectedCommissions {
  // Prevent the use of an index on the program. SQLite has no statistics, so it would choose this index and read all
  // commissions of the program.
  const isById = dialect === 'sqlite' && (payoutId !== null || isInReview || q !== undefined);
  const program = isById ? withoutIndex('commissions.program_id') : 'commissions.program_id';
  return selectCommissions(read, filter)
    .where(program, '=', programId)
    .$if(partnerId !== null, (query) => query.where('commissions.partner_id', '=', partnerId ?? 0))
    .$if(payoutId !== null, (query) => query.where(isInPayout(dialect, programId, payoutId ?? 0)))
    .$if(q !== undefined, (query) => query.where(isOfSaleWithIdPrefix(dialect, programId, q ?? '')))
    .$if(isInReview, (query) => query.where('commissions.id', 'in', inReview(programId)));
}

/** Whether a commission is in the payout. The subquery makes SQLite use the index on payouts. */
function isInPayout(dialect: Engine['dialect'], programId: number, payoutId: number): RawBuilder<SqlBool> {
  return dialect === 'sqlite'
    ? sql`commissions.id IN (SELECT id FROM commissions AS paid_out
        WHERE paid_out.program_id = ${programId} AND paid_out.payout_id = ${payoutId})`
    : sql`commissions.payout_id = ${payoutId}`;
}

/**
 * Selects the commissions in review. The condition on `customer_id` is always true. It makes SQLite use the
 * index `commissions_in_review`.
 */
function inReview(programId: number) {
  return sql<number>`(SELECT id FROM commissions AS reviewed
    WHERE reviewed.program_id = ${programId} AND reviewed.needs_approval = 1 AND reviewed.customer_id > 0
      AND reviewed.approved_at IS NULL AND reviewed.status <> 'rejected'
      AND (reviewed.status NOT IN ('refunded', 'reversed')
        OR reviewed.amount_cents - reviewed.deducted_cents + reviewed.adjusted_cents > 0))`;
}

/** Whether the sale of a commission is among the first `MAX_LISTED` sales of `selectSalesByTransactionPrefix`. */
function isOfSaleWithIdPrefix(
  dialect: Engine['dialect'],
  programId: number,
  prefix: string,
): RawBuilder<SqlBool> {
  const found = sql`(${selectSalesByTransactionPrefix(dialect, programId, prefix, MAX_LISTED)}) AS found`;
  // CROSS JOIN makes SQLite start with the sales and then look up each commission. With an array, Postgres
  // reads each page of the index only once, not once per sale.
  return dialect === 'sqlite'
    ? sql`commissions.id IN (SELECT commission.id FROM ${found} CROSS JOIN commissions AS commission
        WHERE commission.program_id = ${programId} AND commission.sale_id = found.id)`
    : sql`commissions.sale_id = ANY (ARRAY(SELECT id FROM ${found}))`;
}

/** Selects sales by the start of their transaction id, sorted by transaction id. The query uses an index. */
export function selectSalesByTransactionPrefix(
  dialect: Engine['dialect'],
  programId: number,
  prefix: string,
  limit: number,
) {
  return sql<{ id: number; customer_id: number | null }>`SELECT id, customer_id FROM sales
    WHERE ${hasTransactionIdPrefix(dialect, programId, prefix)}
    ORDER BY ${sql.raw(prefixKey(dialect, 'processor_event_id'))}, id LIMIT ${limit}`;
}

/** Whether a search finds more transaction ids than `MAX_LISTED`. */
export function isSearchCapped(dialect: Engine['dialect'], programId: number, prefix: string) {
  return sql<SqlBool>`EXISTS (SELECT 1 FROM sales
    WHERE ${hasTransactionIdPrefix(dialect, programId, prefix)} LIMIT 1 OFFSET ${MAX_LISTED})`;
}

function hasTransactionIdPrefix(
  dialect: Engine['dialect'],
  programId: number,
  prefix: string,
): RawBuilder<SqlBool> {
  return sql`program_id = ${programId} AND is_test = 0 AND ${startsWith(dialect, 'processor_event_id', prefix)}`;
}

/**
 * Sums up the matching commissions by status and currency, sorted by both. The sums of whole days are read from stored
 * totals. Commissions are read only for the partial days at both ends of the range, so the cost does not depend on the
 * number of all commissions. If the filter has a payout, `isInReview`, or a search text, there are no stored totals.
 * All matching commissions are then read.
 */
export async function sumCommissions(
  engine: TotalsReader,
  programId: number,
  filter: ProgramCommissionFilter,
): Promise<CommissionTotal[]> {
  const { status, partnerId, payoutId, q, isInReview } = filter;
  const ofRows = (range: TimeRange) => sumRows(filteredCommissions(engine, programId, { ...filter, range }));
  if (payoutId !== null || q !== undefined || isInReview) return await ofRows(filter.range);
  const totals = selectTotals(engine.read)
    .where('program_id', '=', programId)
    .where('partner_id', '=', partnerId ?? WHOLE_PROGRAM);
  return await sumByDays(filter.range, (days) => sumDays(totals, status, days), ofRows);
}

export function selectTotals(read: Engine['read']) {
  return read.selectFrom('commission_totals');
}

/** Adds up the totals of the whole days of the range and the commissions of the partial days at its ends. */
export async function sumByDays(
  range: TimeRange,
  ofDays: (days: DayRange) => Promise<CommissionTotal[]>,
  ofRows: (range: TimeRange) => Promise<CommissionTotal[]>,
): Promise<CommissionTotal[]> {
  const from = range.from ?? Number.MIN_SAFE_INTEGER;
  const to = range.to ?? Number.MAX_SAFE_INTEGER;
  const days = { from: Math.ceil(from / DAY_MS), to: Math.floor((to + 1) / DAY_MS) - 1 };
  if (days.from > days.to) return await ofRows(range);
  const start = { from, to: days.from * DAY_MS - 1 };
  const end = { from: (days.to + 1) * DAY_MS, to };
  const sums = await Promise.all([
    ofDays(days),
    range.from === null || start.from > start.to ? [] : ofRows(start),
    range.to === null || end.from > end.to ? [] : ofRows(end),
  ]);
  return mergeCommissionTotals(sums.flat());
}

/** Sums the selected totals of the days. */
export async function sumDays(
  totals: ReturnType<typeof selectTotals>,
  status: CommissionStatus | null,
  days: DayRange,
): Promise<CommissionTotal[]> {
  const rows = await totals
    .select((eb) => [
      'status',
      'currency',
      eb.fn.sum<number>('commissions').as('count'),
      eb.fn.sum<number>('amount_cents').as('amount_cents'),
      eb.fn.sum<number>('deducted_cents').as('deducted_cents'),
      eb.fn.sum<number>('adjusted_cents').as('adjusted_cents'),
    ])
    .where('day', '>=', days.from)
    .where('day', '<=', days.to)
    .$if(status !== null, (query) => query.where('status', '=', status ?? 'pending'))
    .groupBy(['status', 'currency'])
    .execute();
  return mergeCommissionTotals(rows.map(toTotal));
}

/** Sums the selected commissions by status and currency, ordered by both. */
export async function sumRows(selected: SelectedCommissions): Promise<CommissionTotal[]> {
  const rows = await selected
    .select((eb) => [
      'status',
      'currency',
      eb.fn.countAll<number>().as('count'),
      eb.fn.sum<number>('amount_cents').as('amount_cents'),
      eb.fn.sum<number>('deducted_cents').as('deducted_cents'),
      eb.fn.sum<number>('adjusted_cents').as('adjusted_cents'),
    ])
    .groupBy(['status', 'currency'])
    .execute();
  return mergeCommissionTotals(rows.map(toTotal));
}

function toTotal(row: {
  readonly status: CommissionStatus;
  readonly currency: string;
  readonly count: number;
  readonly amount_cents: number;
  readonly deducted_cents: number;
  readonly adjusted_cents: number;
}): CommissionTotal {
  return {
    status: row.status,
    currency: row.currency,
    count: Number(row.count),
    amountCents: Number(row.amount_cents),
    deductedCents: Number(row.deducted_cents),
    adjustedCents: Number(row.adjusted_cents),
  };
}

/** Adds up the totals with the same status and currency. Totals without commissions are left out. */
function mergeCommissionTotals(totals: readonly CommissionTotal[]): CommissionTotal[] {
  const merged = new Map<string, CommissionTotal>();
  for (const total of totals) {
    const key = `${total.status} ${total.currency}`;
    const sum = merged.get(key);
    merged.set(
      key,
      sum === undefined
        ? total
        : {
            ...total,
            count: sum.count + total.count,
            amountCents: sum.amountCents + total.amountCents,
            deductedCents: sum.deductedCents + total.deductedCents,
            adjustedCents: sum.adjustedCents + total.adjustedCents,
          },
    );
  }
  return [...merged]
    .filter(([, { count }]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, total]) => total);
}
