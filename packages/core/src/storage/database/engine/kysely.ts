import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';
import type { Schema } from '../schema.ts';

export type Execute = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/**
 * Creates a Kysely instance that runs its queries with `execute`. Kysely's own transactions are not
 * supported.
 */
export function engineKysely(execute: Execute, parts: Omit<Dialect, 'createDriver'>): Kysely<Schema> {
  const connection: DatabaseConnection = {
    executeQuery: async <R>(query: CompiledQuery) => (await execute(query)) as QueryResult<R>,
    streamQuery: () => {
      throw new Error('Streaming is not supported');
    },
  };
  const rejectTransaction = async () => {
    throw new Error('Kysely transactions are not supported: use engine.write');
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: rejectTransaction,
    commitTransaction: rejectTransaction,
    rollbackTransaction: rejectTransaction,
    releaseConnection: async () => {},
    destroy: async () => {},
  };
  return new Kysely<Schema>({ dialect: { ...parts, createDriver: () => driver } });
}
