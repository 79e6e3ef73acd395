import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Page, readCountedPage } from '../database/list-page.ts';
import type { Schema } from '../database/schema.ts';

/** The rows of a list and their order. */
export interface SortedList {
  /** The tables of the matching rows. The first table must have the alias `listed`. */
  readonly from: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  /** The columns to sort by. `order` is the direction of the last column. All other columns are always ascending. */
  readonly key: RawBuilder<unknown> | SortFigure;
  readonly order: 'asc' | 'desc';
  /**
   * Whether the conditions are expensive, so that the rows should be selected and counted in a single
   * statement.
   * @default false
   */
  readonly isSearch?: boolean;
}

/** A value to sort by that is not a column of the list. Rows without a value sort as 0. */
export interface SortFigure {
  /**
   * A query that returns the values of a program in the columns `owner_id` and `value`. It must return at most one row
   * for each row of the list.
   */
  readonly figures: RawBuilder<unknown>;
  /** The column of the list that is joined with `owner_id`. It also sets the order of rows whose `value` is equal. */
  readonly ownerId: RawBuilder<unknown>;
}

/** Lists the ids of a page. Rows with the same key are in the order of their ids. */
export async function listSortedIds(
  db: Kysely<Schema>,
  rows: SortedList,
  page: Page,
): Promise<{ ids: number[]; total: number }> {
  const { from, where, isSearch = false } = rows;
  if (isSearch) {
    const readRows = (part: Page) => listPage(db, rows, part, sql`count(*) OVER ()`);
    const found = await readCountedPage(readRows, page);
    return { ids: found.rows.map(({ id }) => id), total: Number(found.counted?.total ?? 0) };
  }
  const counted = await sql<{ total: number }>`SELECT count(*) AS total FROM ${from} WHERE ${where}`.execute(
    db,
  );
  const shown = (await listHighest(db, rows, page)) ?? (await listPage(db, rows, page, sql`0`));
  return { ids: shown.map(({ id }) => id), total: Number(counted.rows[0]?.total ?? 0) };
}

async function listPage(
  db: Kysely<Schema>,
  { from, where, key, order }: SortedList,
  { offset, limit }: Page,
  total: RawBuilder<unknown>,
): Promise<{ id: number; total: number }[]> {
  const direction = sql.raw(order);
  const isFigure = 'figures' in key;
  const join = isFigure
    ? sql`LEFT JOIN (${key.figures}) AS figures ON figures.owner_id = ${key.ownerId}`
    : sql``;
  const sortKey = isFigure ? sql`COALESCE(figures.value, 0)` : key;
  const { rows } = await sql<{ id: number; total: number }>`SELECT listed.id, ${total} AS total
    FROM ${from} ${join} WHERE ${where}
    ORDER BY ${sortKey} ${direction}, ${isFigure ? key.ownerId : sql`listed.id`} ${direction}
    LIMIT ${limit} OFFSET ${offset}`.execute(db);
  return rows;
}

/**
 * The number of values to look up for each row of a page. It is more than 1, because some of the values may belong
 * to rows that do not match the filters.
 */
const VALUES_PER_ROW = 4;

/**
 * Lists a page by reading only the highest values and their rows. Most rows of the list are not read. CROSS JOIN
 * makes SQLite read the values first.
 * @returns null when these values do not fill the page, or the list is not sorted by a figure in descending order
 */
async function listHighest(
  db: Kysely<Schema>,
  { from, where, key, order }: SortedList,
  { offset, limit }: Page,
): Promise<{ id: number }[] | null> {
  if (!('figures' in key) || order === 'asc') return null;
  const { rows } = await sql<{ id: number }>`SELECT listed.id FROM (${key.figures}
      ORDER BY value DESC, owner_id DESC LIMIT ${(offset + limit) * VALUES_PER_ROW}) AS figures CROSS JOIN ${from}
    WHERE ${where} AND ${key.ownerId} = figures.owner_id AND figures.value > 0
    ORDER BY figures.value DESC, figures.owner_id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db);
  return rows.length === limit ? rows : null;
}

/**
 * Returns a counter, or the time of its last change, as a value to sort by. In Postgres, a sum of BIGINTs is a
 * NUMERIC, which is slow to sort. The counter is therefore summed as doubles, which is exact up to 2^53.
 */
export function counterFigure(
  programId: number,
  subject: 'link' | 'partner',
  measure: string,
  ownerId: RawBuilder<unknown>,
  column: 'value' | 'last_at' = 'value',
): SortFigure {
  const value = column === 'value' ? sql`SUM(CAST(value AS DOUBLE PRECISION))` : sql`MAX(last_at)`;
  return {
    figures: sql`SELECT subject_id AS owner_id, ${value} AS value FROM counters
      WHERE program_id = ${programId} AND subject = ${sql.lit(subject)} AND measure = ${measure}
      GROUP BY subject_id`,
    ownerId,
  };
}
