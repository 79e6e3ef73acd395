import { closeSync, openSync } from 'node:fs';
import type { Engine } from '@affkit/core';
import { ConfigError, type DatabaseConfig } from './config.ts';
import { summarizeError } from './error-summary.ts';

/** @throws ConfigError */
export async function openEngine(database: DatabaseConfig): Promise<Engine> {
  try {
    if (database.kind === 'postgres') {
      const { postgresEngine } = await import('@affkit/core/postgres');
      return postgresEngine({ connectionString: database.connectionString });
    }
    const { sqliteEngine } = await import('@affkit/core/sqlite');
    if (database.path !== ':memory:') makePrivately(database.path);
    return sqliteEngine({ path: database.path });
  } catch (error) {
    return refuseDatabase(error);
  }
}

/** SQLite would make it readable for all; its log gets the rights of the file. One that is there keeps its own. */
function makePrivately(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // The engine says better what is wrong.
  }
}

/** @throws ConfigError always: what failed was the use of the database */
export function refuseDatabase(error: unknown): never {
  throw new ConfigError('DATABASE_URL', `can't be used: ${describe(error)}`);
}

/** One line: what can't be connected to may be several errors, without a message of their own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  return summarizeError(error);
}
