import { type RawBuilder, sql } from 'kysely';

/**
 * Prevents the planner from using an index on an integer column. Without statistics, the planner may choose
 * an index with many matching rows instead of one with few.
 */
export function withoutIndex(column: string): RawBuilder<number> {
  return sql<number>`${sql.ref(column)} + 0`;
}

/** The same as `withoutIndex`, for a text column. */
export function withoutTextIndex(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)} || ''`;
}
