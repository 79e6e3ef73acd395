import { inject } from 'vitest';
import { createDatabase as createDatabaseOn } from '../../../packages/core/test/support/postgres-server.ts';

/** Creates an empty database on the Postgres server of the tests. @returns its URL */
export function createDatabase(): Promise<string> {
  return createDatabaseOn(inject('postgresUrl'));
}
