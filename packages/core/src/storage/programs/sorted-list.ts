import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../database/schema.ts';

/** The rows of a list and their order. */
export interface SortedList {
  /** The FROM clause of the matching rows, whose table is called `listed`, with its conditions. */
  readonly from: RawBuilder<unknown>;
  /** Joins that the sort key needs and that keep the number of rows. */
  readonly join?: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  readonly key: RawBuilder<unknown>;
  readonly order: 'asc' | 'desc';
  /** Whether the conditions are costly, so that one statement also counts the rows. @default false */
  readonly isSearch?: boolean;
}

/** Lists the ids of a page. Rows with the same key are in the order of their ids. */
export async function listSortedIds(
  db: Kysely<Schema>,
  { from, join, where, key, order, isSearch = false }: SortedList,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ ids: number[]; total: number }> {
  const direction = sql.raw(order);
  const list = async (total: RawBuilder<unknown>) => {
    const { rows } = await sql<{ id: number; total: number }>`SELECT listed.id, ${total} AS total
      ${from} ${join ?? sql``} WHERE ${where}
      ORDER BY ${key} ${direction}, listed.id ${direction} LIMIT ${page.limit} OFFSET ${page.offset}`.execute(
      db,
    );
    return { ids: rows.map(({ id }) => id), total: Number(rows[0]?.total ?? 0) };
  };
  if (isSearch) {
    const found = await list(sql`count(*) OVER ()`);
    // A page after the last page has no row, so the total is unknown.
    if (found.ids.length > 0 || page.offset === 0) return found;
  }
  const counted = await sql<{ total: number }>`SELECT count(*) AS total ${from} WHERE ${where}`.execute(db);
  const { ids } = await list(sql`0`);
  return { ids, total: Number(counted.rows[0]?.total ?? 0) };
}

/** Joins the sum of a counter as `figures`, without a row for subjects that have no events. */
export function joinCounter(
  programId: number,
  subject: 'link' | 'partner',
  measure: string,
  subjectId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`LEFT JOIN (SELECT subject_id, SUM(value) AS value, MAX(last_at) AS last_at FROM counters
    WHERE program_id = ${programId} AND subject = ${sql.lit(subject)} AND measure = ${measure}
    GROUP BY subject_id) AS figures ON figures.subject_id = ${subjectId}`;
}
