import { type Kysely, type RawBuilder, sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../domain/calendar.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { lockRow } from '../database/lock-row.ts';
import type { DailyMeasure, Schema } from '../database/schema.ts';
import { type CountedClicks, countedClicksFrom } from '../tracking/removed-months.ts';
import { HOURS, WHOLE_PROGRAM } from '../tracking/total-owner.ts';

/** A daily total that differs from the sum of the rows that it counts. */
export interface TotalDrift {
  /** The id of a partner, or another owner; see `total-owner.ts`. */
  readonly partnerId: number;
  /** UTC days since the epoch. */
  readonly day: number;
  readonly measure: DailyMeasure;
  readonly recorded: number;
  readonly counted: number;
}

/** The rows from which the totals of some measures are computed. */
interface TotalSource {
  /** A LIKE pattern for the measures. */
  readonly measures: string;
  /** Whether the measures have hourly totals too. */
  readonly hourly?: true;
  /** The column that `rows` returns as `at`. */
  readonly at: string;
  /**
   * A query with the columns `partner_id, at, measure, value`. It must end with a WHERE clause.
   * @param clicksFrom SQL for the time of the first click to count
   */
  readonly rows: (programId: number, clicksFrom: RawBuilder<number>) => RawBuilder<unknown>;
  /** Whether the rows are clicks. Old clicks may have been removed, so only days from `clicksFrom` on are compared. */
  readonly areClicks?: true;
}

const DRIFT_SOURCES: readonly TotalSource[] = [
  {
    measures: 'clicks',
    at: 'click_at',
    hourly: true,
    rows: (programId, clicksFrom) => sql`SELECT partner_id, click_at AS at, 'clicks' AS measure, 1 AS value
      FROM click_events WHERE program_id = ${programId} AND is_test = 0 AND click_at >= ${clicksFrom}`,
    areClicks: true,
  },
  {
    measures: 'leads',
    at: 'lead_at',
    hourly: true,
    rows: (programId) => sql`SELECT customers.partner_id, lead_at AS at, 'leads' AS measure, 1 AS value
      FROM lead_events LEFT JOIN customers
      ON customers.program_id = lead_events.program_id AND customers.id = lead_events.customer_id
      WHERE lead_events.program_id = ${programId} AND is_test = 0`,
  },
  {
    measures: 'signups',
    at: 'signup_at',
    rows: (programId) => sql`SELECT partner_id, signup_at AS at, 'signups' AS measure, 1 AS value
      FROM customers WHERE program_id = ${programId} AND signup_at IS NOT NULL`,
  },
  {
    measures: 'first_purchases',
    at: 'first_purchase_at',
    rows: (
      programId,
    ) => sql`SELECT partner_id, first_purchase_at AS at, 'first_purchases' AS measure, 1 AS value
      FROM customers WHERE program_id = ${programId} AND first_purchase_at IS NOT NULL`,
  },
  {
    measures: 'sales',
    at: 'sale_at',
    hourly: true,
    rows: (programId) => sql`SELECT partner_id, sale_at AS at, 'sales' AS measure, 1 AS value
      FROM sales WHERE program_id = ${programId} AND is_test = 0`,
  },
  {
    measures: 'revenue:%',
    at: 'sale_at',
    rows: (
      programId,
    ) => sql`SELECT partner_id, sale_at AS at, 'revenue:' || currency AS measure, amount_cents AS value
      FROM sales WHERE program_id = ${programId} AND is_test = 0`,
  },
  {
    measures: 'commission:%',
    at: 'commission_at',
    rows: (programId) => sql`SELECT partner_id, commission_at AS at, 'commission:' || currency AS measure,
      amount_cents AS value FROM commissions WHERE program_id = ${programId}`,
  },
  {
    measures: 'partners',
    at: 'created_at',
    rows: (
      programId,
    ) => sql`SELECT CAST(NULL AS BIGINT) AS partner_id, created_at AS at, 'partners' AS measure, 1 AS value
      FROM partner_programs WHERE program_id = ${programId}`,
  },
];

/** The names of the sources that `findTotalsDrift` and `correctTotalsDrift` accept. */
export const TOTAL_SOURCES: readonly string[] = DRIFT_SOURCES.map(({ measures }) => measures);

/** Lists the totals of a program that differ from the rows that they count. All reads use one snapshot. */
export async function findTotalsDrift(
  db: Kysely<Schema>,
  programId: number,
  source: string,
  clicks: CountedClicks,
): Promise<TotalDrift[]> {
  const { rows } = await totalDrift(programId, source, { clicks }).execute(db);
  return rows.map((row) => ({
    partnerId: row.partner_id,
    day: row.day,
    measure: row.measure,
    recorded: Number(row.recorded),
    counted: Number(row.counted),
  }));
}

/**
 * Corrects the totals that differ from the rows that they count, in a single statement. Concurrent writes are safe:
 * the statement reads the totals and the rows from one snapshot. It adds the difference to the total instead of
 * overwriting it.
 * @returns the number of corrected totals
 */
export async function correctTotalsDrift(
  tx: Transaction,
  programId: number,
  source: string,
  selection: CountedDays,
): Promise<number> {
  // Without this lock, two concurrent corrections would both add the same difference.
  await lockRow(tx, 'programs', programId);
  const corrected = await sql`
    INSERT INTO daily_totals (program_id, partner_id, day, measure, slot, value)
    SELECT CAST(${programId} AS BIGINT), partner_id, day, measure, CAST(${tx.slot} AS BIGINT), counted - recorded
    FROM (${totalDrift(programId, source, selection)}) AS drift WHERE 1 = 1 ORDER BY partner_id, day, measure
    ON CONFLICT (program_id, partner_id, day, measure, slot)
    DO UPDATE SET value = daily_totals.value + excluded.value`.execute(tx.db);
  return Number(corrected.numAffectedRows ?? 0);
}

/** Corrects all daily totals of a program on a UTC day; see `correctTotalsDrift`. */
export async function correctTotalsOfDay(tx: Transaction, programId: number, day: number): Promise<void> {
  const selection = { clicks: 'complete_months', day } as const;
  for (const { measures } of DRIFT_SOURCES) await correctTotalsDrift(tx, programId, measures, selection);
}

interface DriftRow {
  readonly partner_id: number;
  readonly day: number;
  readonly measure: DailyMeasure;
  readonly recorded: number;
  readonly counted: number;
}

/** The days whose totals are compared with the rows. */
interface CountedDays {
  readonly clicks: CountedClicks;
  /** The only day, in UTC days since the epoch. @default every day */
  readonly day?: number;
}

function totalDrift(programId: number, name: string, { clicks, day }: CountedDays): RawBuilder<DriftRow> {
  const source = DRIFT_SOURCES.find(({ measures }) => measures === name);
  if (!source) throw new RangeError(`Unknown source of totals: "${name}"`);
  const at = sql.ref(source.at);
  const clicksFrom = countedClicksFrom(clicks);
  const [ofDay, rowsOfDay] =
    day === undefined
      ? [sql``, sql``]
      : [sql`AND day = ${day}`, sql`AND ${at} >= ${day * DAY_MS} AND ${at} < ${(day + 1) * DAY_MS}`];
  const hours = sql`UNION ALL SELECT -1 - hour % ${sql.lit(HOURS)}, hour / ${sql.lit(HOURS)}, measure, 0, value FROM counted`;
  return sql<DriftRow>`
    WITH counted AS (
      SELECT partner_id, at / ${sql.lit(HOUR_MS)} AS hour, measure, SUM(value) AS value
      FROM (${source.rows(programId, clicksFrom)} ${rowsOfDay}) AS counted_rows GROUP BY 1, 2, 3)
    SELECT partner_id, day, measure, SUM(recorded) AS recorded, SUM(counted) AS counted FROM (
      SELECT ${sql.lit(WHOLE_PROGRAM)} AS partner_id, hour / ${sql.lit(HOURS)} AS day, measure, 0 AS recorded,
        value AS counted FROM counted
      UNION ALL
      SELECT partner_id, hour / ${sql.lit(HOURS)}, measure, 0, value FROM counted WHERE partner_id IS NOT NULL
      ${source.hourly ? hours : sql``}
      UNION ALL
      SELECT partner_id, day, measure, value, 0 FROM daily_totals
      WHERE program_id = ${programId} AND measure LIKE ${source.measures}
        ${source.areClicks ? sql`AND day >= ${clicksFrom} / ${sql.lit(DAY_MS)}` : sql``} ${ofDay}) AS both_sums
    GROUP BY 1, 2, 3 HAVING SUM(recorded) <> SUM(counted)
    ORDER BY 1, 2, 3`;
}
