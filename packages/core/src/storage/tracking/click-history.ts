import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { DAY_MS, utcDay } from '../../domain/calendar.ts';
import { type Month, startOfMonth } from '../../domain/month.ts';
import {
  type ClickPartition,
  createKeptTable,
  keptTable,
  replacePartition,
} from '../database/click-partitions.ts';
import type { Snapshot, Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { insertRows } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';

export type StoredClick = Selectable<Schema['click_events']>;

/** The clicks of a program in a month, without test clicks. */
export interface MonthOfProgram {
  readonly programId: number;
  readonly workspaceId: number;
  readonly clicks: number;
  /** The highest id of these clicks. */
  readonly lastId: number;
}

/** Counts the clicks of each program in a month, without test clicks. Programs without clicks are left out. */
export async function countClicksOfMonth(db: Kysely<Schema>, month: Month): Promise<MonthOfProgram[]> {
  const { rows } = await sql<MonthOfProgram>`SELECT p.id AS "programId", p.workspace_id AS "workspaceId",
      (SELECT COUNT(*) ${ofMonth(month)} AND e.program_id = s.program_id) AS clicks,
      (SELECT MAX(e.id + 0) ${ofMonth(month)} AND e.program_id = s.program_id) AS "lastId"
    FROM program_shards AS s JOIN programs AS p ON p.id = s.program_id
    WHERE EXISTS (SELECT 1 ${ofMonth(month)} AND e.program_id = s.program_id) ORDER BY p.id`.execute(db);
  return rows.map(numbered);
}

function numbered(row: MonthOfProgram): MonthOfProgram {
  return { ...row, clicks: Number(row.clicks), lastId: Number(row.lastId) };
}

function ofMonth(month: Month): RawBuilder<unknown> {
  return sql`FROM click_events AS e WHERE e.is_test = 0 AND e.click_at >= ${startOfMonth(month)}
    AND e.click_at < ${startOfMonth(month + 1)}`;
}

/** Finds the time of the oldest click that is not a test click. */
export async function findOldestClickAt(db: Kysely<Schema>): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`SELECT MIN(oldest.at) AS at FROM (
      SELECT (SELECT e.click_at FROM click_events AS e
        WHERE e.program_id = p.program_id AND e.is_test = 0 ORDER BY e.click_at LIMIT 1) AS at
      FROM program_shards AS p) AS oldest`.execute(db);
  return rows[0]?.at ?? null;
}

/**
 * Lists the programs whose totals for the month are not final: some clicks have not been counted yet, or a total must
 * still be repaired.
 */
export async function listProgramsWithOpenTotals(
  { dialect, db }: Pick<Transaction, 'dialect' | 'db'>,
  month: Month,
  programs: readonly MonthOfProgram[],
): Promise<number[]> {
  const found: number[] = [];
  for (const { programId, lastId } of programs) {
    const key = dialect === 'sqlite' ? 0 : programId;
    const counted = (table: string) =>
      sql`COALESCE((SELECT click_id FROM ${sql.table(table)} WHERE program_id = ${key}), 0)`;
    const { rows } = await sql<{ isCounted: number }>`SELECT CASE WHEN
        ${counted('breakdown_progress')} >= ${lastId} AND ${counted('link_click_progress')} >= ${lastId}
        AND ${counted('link_total_progress')} >= ${lastId}
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE program_id = ${programId} AND kind = 'repair_totals'
          AND subject_id >= ${utcDay(startOfMonth(month))} AND subject_id < ${utcDay(startOfMonth(month + 1))})
      THEN 1 ELSE 0 END AS "isCounted"`.execute(db);
    if (Number(rows[0]?.isCounted) !== 1) found.push(programId);
  }
  return found;
}

/** Lists clicks of a program in a month, without test clicks, sorted by time and id. */
export async function listClicksOfMonth(
  db: Kysely<Schema>,
  programId: number,
  month: Month,
  after: { readonly click_at: number; readonly id: number } | null,
  limit: number,
): Promise<StoredClick[]> {
  const later = after ? sql`AND (click_at, id) > (${after.click_at}, ${after.id})` : sql``;
  const from = after?.click_at ?? startOfMonth(month);
  const { rows } =
    await sql<StoredClick>`SELECT * FROM click_events WHERE program_id = ${programId} AND is_test = 0
    AND click_at >= ${from} AND click_at < ${startOfMonth(month + 1)} ${later}
    ORDER BY click_at, id LIMIT ${limit}`.execute(db);
  return rows;
}

/** Leads and sales may be reported up to 90 days late. One more day is added as a margin. */
const MAX_REPORT_DELAY_MS = 91 * DAY_MS;

/** When clicks may be removed. */
export interface RemovalRule {
  readonly now: number;
  /** If a customer has clicked a link of their partner since this time, all clicks of the customer are kept. */
  readonly keptSince: number;
  /** Clicks that were stored after this time are kept. Null if all clicks may be removed. */
  readonly storedBefore: number | null;
  /** Programs whose clicks are kept. */
  readonly keptPrograms: readonly number[];
}

/**
 * The condition for clicks that may be removed. Clicks in test mode are kept. All clicks of a customer are kept
 *
 * - if the customer has a lead or a sale, because the clicks explain the commission,
 * - if the customer's attribution window was open in the last 91 days, because a sale from that time may still be
 *   reported, or
 * - if the customer has a later click whose month is not removed.
 *
 * The tables are named `e` (clicks), `c` (customers) and `p` (programs).
 */
function isRemovable(rule: RemovalRule): RawBuilder<boolean> {
  const { now, keptSince, storedBefore, keptPrograms } = rule;
  const isStoredBefore = storedBefore === null ? sql`` : sql`AND e.created_at <= ${storedBefore}`;
  const isOfOthers =
    keptPrograms.length === 0 ? sql`` : sql`AND e.program_id NOT IN (${sql.join(idList(keptPrograms))})`;
  return sql<boolean>`(e.is_test = 0 AND c.status = 'click' AND c.last_click_at < ${keptSince}
    AND c.last_click_at < ${now - MAX_REPORT_DELAY_MS} - p.cookie_window_days * ${sql.lit(DAY_MS)}
    ${isStoredBefore} ${isOfOthers})`;
}

/** Counts the clicks of a month that may be removed, by program. Programs without such clicks are left out. */
export async function countRemovableClicks(
  snapshot: Snapshot,
  month: Month,
  rule: RemovalRule,
): Promise<MonthOfProgram[]> {
  const { db } = snapshot;
  if (snapshot.dialect === 'postgres') await allowMonthScans(db);
  const { rows } = await sql<MonthOfProgram>`SELECT p.id AS "programId", p.workspace_id AS "workspaceId",
      COUNT(*) AS clicks, MAX(e.id) AS "lastId"
    FROM program_shards AS s JOIN programs AS p ON p.id = s.program_id
    JOIN click_events AS e ON e.program_id = s.program_id JOIN customers AS c ON ${CUSTOMER_OF_CLICK}
    WHERE e.is_test = 0 AND e.click_at >= ${startOfMonth(month)} AND e.click_at < ${startOfMonth(month + 1)}
      AND ${isRemovable(rule)}
    GROUP BY p.id, p.workspace_id ORDER BY p.id`.execute(db);
  return rows.map(numbered);
}

const CUSTOMER_OF_CLICK = sql`c.program_id = e.program_id AND c.id = e.customer_id`;
/** A join instead of a subquery, so that each worker of a Citus cluster can select the clicks it stores. */
const WITH_CUSTOMER = sql`LEFT JOIN (customers AS c JOIN programs AS p ON p.id = c.program_id) ON ${CUSTOMER_OF_CLICK}`;

/**
 * Reads a page of at most `limit` clicks of a program in a month, and deletes those that may be removed.
 * @returns where the next page starts, or null after the last page
 */
export async function removeNextClicks(
  engine: { readonly read: Kysely<Schema>; write(work: (tx: Transaction) => Promise<void>): Promise<void> },
  ofProgram: { readonly programId: number; readonly month: Month },
  rule: RemovalRule,
  after: { readonly click_at: number; readonly id: number } | null,
  limit: number,
): Promise<{ readonly click_at: number; readonly id: number } | null> {
  const page = await listClicksOfMonth(engine.read, ofProgram.programId, ofProgram.month, after, limit);
  const last = page.at(-1);
  if (!last) return null;
  await engine.write(async ({ db }) => {
    await sql`DELETE FROM click_events AS e WHERE e.program_id = ${ofProgram.programId}
      AND e.id IN (${sql.join(idList(page.map(({ id }) => id)))}) AND e.click_at >= ${page[0]?.click_at ?? 0}
      AND e.click_at <= ${last.click_at} AND EXISTS (SELECT 1 FROM customers AS c
        JOIN programs AS p ON p.id = c.program_id WHERE ${CUSTOMER_OF_CLICK} AND ${isRemovable(rule)})`.execute(
      db,
    );
  });
  return page.length < limit ? null : last;
}

/**
 * Enables sequential scans and hash joins, which the connection disables, until the transaction ends. They are fastest
 * for a statement that reads a whole month.
 */
async function allowMonthScans(db: Kysely<Schema>): Promise<void> {
  await sql`SET LOCAL enable_seqscan = on`.execute(db);
  await sql`SET LOCAL enable_hashjoin = on`.execute(db);
}

/** Copies the clicks that must be kept into the table that will replace the partition of the month. */
export async function copyKeptClicks(tx: Transaction, month: Month, rule: RemovalRule): Promise<void> {
  const { db } = tx;
  await createKeptTable(tx, month);
  await allowMonthScans(db);
  await sql`INSERT INTO ${sql.table(keptTable(month))} SELECT e.* FROM click_events AS e ${WITH_CUSTOMER}
    WHERE e.click_at >= ${startOfMonth(month)} AND e.click_at < ${startOfMonth(month + 1)}
      AND ${isRemovable(rule)} IS NOT TRUE`.execute(db);
}

/** Events are stored at most this long after their request arrived. */
export const MAX_EVENT_DELAY_MS = DAY_MS;

/**
 * Replaces the partition of the month. First checks the clicks of all customers who may have had an event since the
 * copy was made. Clicks that may no longer be removed are then kept too.
 * @param check runs when no click of the month can change anymore. If it throws, the partition is not replaced
 */
export async function replaceMonth(
  tx: Transaction,
  month: Month,
  partition: ClickPartition,
  rule: RemovalRule,
  check: () => Promise<void>,
): Promise<void> {
  const recent = (table: string, at: string, since: number) => sql`SELECT program_id, customer_id
    FROM ${sql.table(table)}
    WHERE program_id = s.program_id AND is_test = 0 AND ${sql.ref(at)} >= ${since}`;
  await replacePartition(tx, month, partition, async (removed) => {
    await check();
    const kept = sql.table(keptTable(month));
    await sql`INSERT INTO ${kept} SELECT e.* FROM program_shards AS s
      CROSS JOIN LATERAL (${recent('click_events', 'click_at', rule.now - MAX_EVENT_DELAY_MS)} UNION ${recent('lead_events', 'lead_at', rule.now - MAX_REPORT_DELAY_MS)}
        UNION ${recent('sales', 'sale_at', rule.now - MAX_REPORT_DELAY_MS)}) AS r
      JOIN ${sql.table(removed)} AS e ON e.program_id = r.program_id AND e.customer_id = r.customer_id
      ${WITH_CUSTOMER}
      WHERE ${isRemovable(rule)} IS NOT TRUE
        AND NOT EXISTS (SELECT 1 FROM ${kept} AS k WHERE k.program_id = e.program_id AND k.id = e.id)`.execute(
      tx.db,
    );
  });
}

/** Stores clicks again. A click that is still stored is not changed. */
export async function restoreClicks(tx: Transaction, clicks: readonly StoredClick[]): Promise<void> {
  await insertRows(
    tx,
    'click_events',
    clicks.map((click) => ({ ...click })),
    sql`ON CONFLICT DO NOTHING`,
  );
}
