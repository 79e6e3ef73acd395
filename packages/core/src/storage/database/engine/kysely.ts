import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';
import type { Schema } from '../schema.ts';

/** Runs one compiled query. */
export type Execute = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/** Kysely over `execute`. Transactions are the engine's business, never Kysely's. */
export function engineKysely(execute: Execute, parts: Omit<Dialect, 'createDriver'>): Kysely<Schema> {
  const connection: DatabaseConnection = {
    executeQuery: async <R>(query: CompiledQuery) => (await execute(query)) as QueryResult<R>,
    streamQuery: () => {
      throw new Error('Streaming is not supported');
    },
  };
  const refuse = async () => {
    throw new Error('Transactions belong to the engine: use engine.write');
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => {},
    destroy: async () => {},
  };
  return new Kysely<Schema>({ dialect: { ...parts, createDriver: () => driver } });
}
