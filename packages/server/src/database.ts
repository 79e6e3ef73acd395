import { closeSync, openSync } from 'node:fs';
import type { Engine } from '@affkit/core';
import { ConfigError, type DatabaseConfig } from './config.ts';
import { summarizeError } from './error-summary.ts';

/**
 * Opens the engine of the database. Creates a missing SQLite file, readable only for its owner.
 * @throws ConfigError when the database can't be used
 */
export async function openEngine(database: DatabaseConfig): Promise<Engine> {
  try {
    if (database.kind === 'postgres') {
      const { postgresEngine } = await import('@affkit/core/postgres');
      return postgresEngine({ connectionString: database.connectionString });
    }
    const { sqliteEngine } = await import('@affkit/core/sqlite');
    if (database.path !== ':memory:') createPrivateFile(database.path);
    return sqliteEngine({ path: database.path });
  } catch (error) {
    return throwDatabaseError(error);
  }
}

/** The database for log lines: a path, or a URL without password and parameters. */
export function describeDatabase(database: DatabaseConfig): string {
  if (database.kind === 'sqlite') return `sqlite:${database.path}`;
  const url = new URL(database.connectionString);
  url.password = '';
  url.search = '';
  return url.href;
}

/**
 * Creates the file with mode 0600, which SQLite copies to the WAL files. SQLite itself would create it
 * readable for everyone. The mode of an existing file does not change.
 */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // The engine reports this problem with a better message.
  }
}

/** @throws ConfigError always, with the error's message unless it is a ConfigError itself */
export function throwDatabaseError(error: unknown): never {
  if (error instanceof ConfigError) throw error;
  throw new ConfigError('DATABASE_URL', `can't be used: ${describeError(error)}`);
}

/** Node rejects a failed connection with an `AggregateError` with one error per address and no message. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return summarizeError(error);
}
