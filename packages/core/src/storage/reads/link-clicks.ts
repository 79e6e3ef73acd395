import { type Kysely, type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '../../domain/calendar.ts';
import type { DayRange } from '../../domain/period.ts';
import type { Engine, Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import { withoutIndex } from '../database/without-index.ts';
import { type CountedClicks, countedClicksFrom } from '../tracking/removed-months.ts';
import { breakdownProgressKey } from './breakdowns.ts';
import { sinceCounted } from './uncounted-clicks.ts';

/** A day on which the stored clicks of a link differ from the click events. */
export interface LinkClickDrift {
  readonly linkId: number;
  /** UTC days since the epoch. */
  readonly day: number;
  readonly recorded: number;
  readonly counted: number;
}

const DAY_OF_CLICK = sql`click_at / ${sql.lit(DAY_MS)}`;
const ADD_LINK_CLICKS = sql`ON CONFLICT (program_id, link_id, day) DO UPDATE SET clicks = link_clicks.clicks + excluded.clicks`;

/**
 * Lists the progress keys of uncounted clicks with ids up to `upTo`; see `breakdownProgressKey`. The order is random,
 * as in `findUncountedPrograms`.
 */
export async function findUncountedClicks(
  { dialect, read }: Pick<Engine, 'dialect' | 'read'>,
  upTo: number,
  limit: number,
): Promise<number[]> {
  if (dialect === 'sqlite') return (await findProgress(read, 0)).id < upTo ? [0] : [];
  const { rows } = await sql<{ id: number }>`SELECT p.program_id AS id FROM program_shards AS p
    LEFT JOIN link_click_progress AS counted ON counted.program_id = p.program_id
    WHERE (SELECT MAX(e.id) FROM click_events AS e WHERE e.program_id = p.program_id AND e.id <= ${upTo}
      AND e.id > COALESCE(counted.click_id, 0) ${sinceCounted(sql`counted.as_of`)}) IS NOT NULL
    ORDER BY random() LIMIT ${limit}`.execute(read);
  return rows.map(({ id }) => id);
}

/**
 * Counts the next uncounted clicks, in a range of at most `limit` ids. Stores the progress in the same
 * transaction.
 * @param key selects the clicks of one program or of all programs; see `breakdownProgressKey`
 * @returns whether there may be more clicks to count, up to `upTo`; false when another process is counting
 * them
 */
export async function countNextClicks(
  tx: Transaction,
  key: number,
  { upTo, limit, at }: { readonly upTo: number; readonly limit: number; readonly at: number },
): Promise<boolean> {
  const progress = await lockClickProgress(tx, key, false);
  if (progress === null || progress.id >= upTo) return false;
  const { id: counted, asOf } = progress;
  const ofKey = key === 0 ? sql`TRUE` : sql`e.program_id = ${key} ${sinceCounted(asOf)}`;
  const { rows } = await sql<{ id: number | null }>`SELECT MIN(e.id) AS id FROM click_events AS e
    WHERE ${ofKey} AND e.id > ${counted} AND e.id <= ${upTo}`.execute(tx.db);
  const first = rows[0]?.id ?? upTo;
  // The range is limited by ids, not by rows. With a row limit, Postgres may use a plan that it made when the
  // table was small, and read all later clicks.
  const last = Math.min(upTo, first + limit - 1);
  await sql`INSERT INTO link_clicks (program_id, link_id, day, clicks)
    SELECT program_id, link_id, ${DAY_OF_CLICK}, count(*) FROM click_events AS e
    WHERE ${ofKey} AND e.id > ${counted} AND e.id <= ${last} AND ${withoutIndex('is_test')} = 0
      AND link_id IS NOT NULL
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 ${ADD_LINK_CLICKS}`.execute(tx.db);
  await tx.db
    .updateTable('link_click_progress')
    .set({ click_id: last, as_of: last >= upTo ? at : asOf })
    .where('program_id', '=', key)
    .execute();
  return last < upTo;
}

/** Counts the clicks on a link per day, newest day first. Days without clicks are left out. */
export async function listLinkClicks(
  { dialect, read }: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  days: DayRange,
  linkId: number,
): Promise<{ day: number; count: number }[]> {
  // A single statement reads the counted clicks, the progress, and all later clicks. Each click therefore
  // counts exactly once, even while the job runs.
  const since = clicksSince(dialect, programId, await findClickProgress({ dialect, read }, programId), days);
  const { rows } = await sql<{ day: number; count: number }>`SELECT day, SUM(clicks) AS count FROM (
      SELECT day, clicks FROM link_clicks
      WHERE program_id = ${programId} AND link_id = ${linkId} AND day >= ${days.from} AND day <= ${days.to}
      UNION ALL SELECT ${DAY_OF_CLICK}, 1 ${since} AND link_id = ${linkId}) AS clicks
    GROUP BY day HAVING SUM(clicks) > 0 ORDER BY day DESC`.execute(read);
  return rows.map(({ day, count }) => ({ day, count: Number(count) }));
}

/**
 * Builds FROM and WHERE for clicks that the job has not counted yet. Only clicks on the given days are selected.
 * @param after the progress, as read by an earlier statement. It is a constant in the query, because the planner needs a
 * constant to estimate the number of later clicks. The query itself checks the current progress
 */
export function clicksSince(
  dialect: Engine['dialect'],
  programId: number,
  after: ClickProgress,
  days: DayRange,
): RawBuilder<unknown> {
  const key = breakdownProgressKey(dialect, programId);
  return sql`FROM click_events AS e WHERE ${clicksOfProgram(dialect, programId)} AND id > ${after.id}
    ${dialect === 'postgres' ? sinceCounted(after.asOf) : sql``} AND id > (${countedId(key)})
    AND ${withoutIndex('is_test')} = 0
    AND ${withoutIndex('click_at')} >= ${days.from * DAY_MS}
    AND ${withoutIndex('click_at')} < ${(days.to + 1) * DAY_MS}`;
}

/** The id of the last counted click. All clicks that were stored before `asOf` are counted. */
export interface ClickProgress {
  readonly id: number;
  readonly asOf: number | null;
}

/** Finds out which clicks of the program the job has counted. */
export function findClickProgress(
  { dialect, read }: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
): Promise<ClickProgress> {
  return findProgress(read, breakdownProgressKey(dialect, programId));
}

/**
 * Lists the days on which the counted clicks of a program's links differ from the click events. All reads use
 * one snapshot.
 */
export async function findLinkClickDrift(
  { dialect, db }: Pick<Transaction, 'dialect' | 'db'>,
  programId: number,
  clicks: CountedClicks,
): Promise<LinkClickDrift[]> {
  const { rows } = await linkClickDrift(dialect, programId, clicks).execute(db);
  return rows.map((row) => ({
    linkId: row.link_id,
    day: row.day,
    recorded: Number(row.recorded),
    counted: Number(row.counted),
  }));
}

/**
 * Finds the days whose click counts are wrong, and corrects each count. Until the transaction ends, no process can
 * count clicks of the program.
 * @returns the number of corrected days
 */
export async function correctLinkClicks(
  tx: Transaction,
  programId: number,
  clicks: CountedClicks,
): Promise<number> {
  await lockClickProgress(tx, breakdownProgressKey(tx.dialect, programId), true);
  const { numAffectedRows } = await sql`INSERT INTO link_clicks (program_id, link_id, day, clicks)
    SELECT CAST(${programId} AS BIGINT), link_id, day, counted - recorded
    FROM (${linkClickDrift(tx.dialect, programId, clicks)}) AS drift WHERE 1 = 1 ${ADD_LINK_CLICKS}`.execute(
    tx.db,
  );
  return Number(numAffectedRows ?? 0);
}

interface DriftRow {
  readonly link_id: number;
  readonly day: number;
  readonly recorded: number;
  readonly counted: number;
}

function linkClickDrift(
  dialect: Engine['dialect'],
  programId: number,
  clicks: CountedClicks,
): RawBuilder<DriftRow> {
  const clicksFrom = countedClicksFrom(clicks);
  return sql<DriftRow>`SELECT link_id, day, SUM(recorded) AS recorded, SUM(counted) AS counted FROM (
      SELECT link_id, day, clicks AS recorded, 0 AS counted FROM link_clicks WHERE program_id = ${programId}
        AND day >= ${clicksFrom} / ${sql.lit(DAY_MS)}
      UNION ALL
      SELECT link_id, ${DAY_OF_CLICK}, 0, count(*) FROM click_events
      WHERE program_id = ${programId} AND is_test = 0 AND link_id IS NOT NULL
        AND click_at >= ${clicksFrom} AND id <= (${countedId(breakdownProgressKey(dialect, programId))})
      GROUP BY 1, 2) AS both_sums
    GROUP BY 1, 2 HAVING SUM(recorded) <> SUM(counted) ORDER BY 2, 1`;
}

/**
 * The condition for clicks of the program. On SQLite, it prevents the use of an index on the program, because the index
 * on the ids finds the latest clicks faster. Ids increase over all programs.
 */
function clicksOfProgram(dialect: Engine['dialect'], programId: number): RawBuilder<unknown> {
  return dialect === 'sqlite'
    ? sql`${withoutIndex('program_id')} = ${programId}`
    : sql`program_id = ${programId}`;
}

function countedId(key: number): RawBuilder<number> {
  return sql<number>`SELECT COALESCE(MAX(click_id), 0) FROM link_click_progress WHERE program_id = ${key}`;
}

async function findProgress(db: Kysely<Schema>, key: number): Promise<ClickProgress> {
  const row = await db
    .selectFrom('link_click_progress')
    .select(['click_id as id', 'as_of as asOf'])
    .where('program_id', '=', key)
    .executeTakeFirst();
  return row ?? { id: 0, asOf: null };
}

/**
 * Locks the progress until the transaction ends.
 * @returns null when another process holds the lock and `waits` is false
 */
async function lockClickProgress(
  tx: Transaction,
  key: number,
  waits: boolean,
): Promise<ClickProgress | null> {
  await tx.db
    .insertInto('link_click_progress')
    .values({ program_id: key, click_id: 0, as_of: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await tx.db
    .selectFrom('link_click_progress')
    .select(['click_id as id', 'as_of as asOf'])
    .where('program_id', '=', key)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .$if(tx.dialect === 'postgres' && !waits, (query) => query.skipLocked())
    .executeTakeFirst();
  return row ?? null;
}
