import { type RawBuilder, sql } from 'kysely';

/**
 * Prevents the planner from using an index on an integer column. Without statistics the planner may choose an
 * index that matches many rows of a program over one that matches few.
 */
export function withoutIndex(column: string): RawBuilder<number> {
  return sql<number>`${sql.ref(column)} + 0`;
}
