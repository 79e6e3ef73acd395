import type { Kysely } from 'kysely';
import type { Schema } from '../../src/storage/database/schema.ts';

/** Calls `then` after each query, before its result is returned. */
export function afterResults(
  db: Kysely<Schema>,
  then: (rows: readonly object[]) => Promise<void>,
): Kysely<Schema> {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await then(result.rows);
      return result;
    },
  });
}
