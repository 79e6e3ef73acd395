import { type RawBuilder, sql } from 'kysely';

/**
 * A whole number's column as a value that no index is of. For where a planner, which knows nothing of what the columns
 * hold, would go by an index that many rows of a program are in, and leave the one that few are in.
 */
export function withoutIndex(column: string): RawBuilder<number> {
  return sql<number>`${sql.ref(column)} + 0`;
}
