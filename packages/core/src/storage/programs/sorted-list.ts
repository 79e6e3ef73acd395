import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../database/schema.ts';

/** The rows of a list and their order. */
export interface SortedList {
  /** The tables of the matching rows. The first table must have the alias `listed`. */
  readonly from: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  readonly key: RawBuilder<unknown> | SortFigure;
  readonly order: 'asc' | 'desc';
  /**
   * Whether the conditions are expensive, so that the rows should be selected and counted in a single
   * statement.
   * @default false
   */
  readonly isSearch?: boolean;
}

/** A figure to sort by. It is 0 for rows that have no figure. */
export interface SortFigure {
  /**
   * The figures of a program. The table must have the alias `figures`, and at most one row per row of the
   * list.
   */
  readonly table: RawBuilder<unknown>;
  readonly isOfListed: RawBuilder<unknown>;
  readonly value: RawBuilder<unknown>;
}

type Page = { readonly offset: number; readonly limit: number };

/** Lists the ids of a page. Rows with the same sort key are sorted by id. */
export async function listSortedIds(
  db: Kysely<Schema>,
  rows: SortedList,
  page: Page,
): Promise<{ ids: number[]; total: number }> {
  const { from, where, isSearch = false } = rows;
  if (isSearch) {
    const found = await listPage(db, rows, page, sql`count(*) OVER ()`);
    // A page after the last page has no rows, so the statement returns no total.
    if (found.ids.length > 0 || page.offset === 0) return found;
  }
  const counted = await sql<{ total: number }>`SELECT count(*) AS total FROM ${from} WHERE ${where}`.execute(
    db,
  );
  const highest = await listHighestIds(db, rows, page);
  const ids = highest ?? (await listPage(db, rows, page, sql`0`)).ids;
  return { ids, total: Number(counted.rows[0]?.total ?? 0) };
}

async function listPage(
  db: Kysely<Schema>,
  { from, where, key, order }: SortedList,
  { offset, limit }: Page,
  total: RawBuilder<unknown>,
): Promise<{ ids: number[]; total: number }> {
  const direction = sql.raw(order);
  const join = 'table' in key ? sql`LEFT JOIN ${key.table} ON ${key.isOfListed}` : sql``;
  const sortKey = 'table' in key ? sql`COALESCE(${key.value}, 0)` : key;
  const { rows } = await sql<{ id: number; total: number }>`SELECT listed.id, ${total} AS total
    FROM ${from} ${join} WHERE ${where}
    ORDER BY ${sortKey} ${direction}, listed.id ${direction} LIMIT ${limit} OFFSET ${offset}`.execute(db);
  return { ids: rows.map(({ id }) => id), total: Number(rows[0]?.total ?? 0) };
}

/**
 * Lists a page only from rows with a positive figure, which takes half the time. CROSS JOIN makes SQLite
 * start with the figures.
 * @returns null when the page also contains other rows
 */
async function listHighestIds(
  db: Kysely<Schema>,
  { from, where, key, order }: SortedList,
  { offset, limit }: Page,
): Promise<number[] | null> {
  if (!('table' in key) || order === 'asc') return null;
  const { rows } = await sql<{ id: number }>`SELECT listed.id FROM ${key.table} CROSS JOIN ${from}
    WHERE ${where} AND ${key.isOfListed} AND ${key.value} > 0
    ORDER BY ${key.value} DESC, listed.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db);
  return rows.length === limit ? rows.map(({ id }) => id) : null;
}

/** Returns a counter, or the time of its last change, as a figure to sort by. */
export function counterFigure(
  programId: number,
  subject: 'link' | 'partner',
  measure: string,
  subjectId: RawBuilder<unknown>,
  column: 'value' | 'last_at' = 'value',
): SortFigure {
  return {
    table: sql`(SELECT subject_id, SUM(value) AS value, MAX(last_at) AS last_at FROM counters
      WHERE program_id = ${programId} AND subject = ${sql.lit(subject)} AND measure = ${measure}
      GROUP BY subject_id) AS figures`,
    isOfListed: sql`figures.subject_id = ${subjectId}`,
    value: sql.ref(`figures.${column}`),
  };
}
