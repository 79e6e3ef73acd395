import type { Engine } from '@affkit/core';
import { ConfigError, type DatabaseConfig } from './config.ts';
import { firstLineOf } from './first-line.ts';

/** @throws ConfigError */
export async function openEngine(database: DatabaseConfig): Promise<Engine> {
  try {
    if (database.kind === 'postgres') {
      const { postgresEngine } = await import('@affkit/core/postgres');
      return postgresEngine({ connectionString: database.connectionString });
    }
    const { sqliteEngine } = await import('@affkit/core/sqlite');
    return sqliteEngine({ path: database.path });
  } catch (error) {
    return refuseDatabase(error);
  }
}

/** @throws ConfigError always: what failed was the use of the database */
export function refuseDatabase(error: unknown): never {
  throw new ConfigError('DATABASE_URL', `can't be used: ${describe(error)}`);
}

/** One line: what can't be connected to may be several errors, without a message of their own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  return firstLineOf(error);
}
