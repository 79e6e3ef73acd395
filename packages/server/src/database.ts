import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Engine, parsePostgresUrl } from '@affkit/core';
import type { DatabaseConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { summarizeError } from './error-summary.ts';

/**
 * Opens the engine of the database. If a SQLite file is missing, it is created so that only its owner can
 * read it.
 * @throws ConfigError when the database cannot be used
 */
export async function openEngine(database: DatabaseConfig): Promise<Engine> {
  try {
    if (database.kind === 'postgres') {
      const { postgresEngine } = await import('@affkit/core/postgres');
      const { connectionString, pooler, readConnectionString } = database;
      return postgresEngine({ connectionString, pooler, readConnectionString });
    }
    const { sqliteEngine } = await import('@affkit/core/sqlite');
    if (database.path !== ':memory:') createPrivateFile(database.path);
    return sqliteEngine({ path: database.path });
  } catch (error) {
    return throwDatabaseError(error);
  }
}

/**
 * Creates the folder of a SQLite file with mode 0700 if it does not exist.
 * @throws ConfigError when the folder can't be created
 */
export function createDatabaseFolder(database: DatabaseConfig): void {
  if (database.kind !== 'sqlite' || database.path === ':memory:') return;
  try {
    mkdirSync(dirname(database.path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ConfigError('DATABASE_URL', `names a folder that can't be created: ${summarizeError(error)}`);
  }
}

/** Describes the database for log lines: a path, or a URL without password and parameters. */
export function describeDatabase(database: DatabaseConfig): string {
  if (database.kind === 'sqlite') return `sqlite:${database.path}`;
  const url = parsePostgresUrl(database.connectionString);
  if (url === null) return 'postgres';
  url.password = '';
  url.search = '';
  return url.href;
}

/**
 * Creates the file with mode 0600, because SQLite itself would create a file that everyone can read. SQLite gives the
 * WAL files the same mode as the database file. The mode of an existing file does not change.
 */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // Ignored, because the engine reports the same problem with a better message.
  }
}

/** @throws ConfigError always: either `error` itself, or a new ConfigError with its message */
export function throwDatabaseError(error: unknown): never {
  if (error instanceof ConfigError) throw error;
  throw new ConfigError('DATABASE_URL', `can't be used: ${describeError(error)}`);
}

/**
 * Returns the message of an error. For a failed connection, Node may throw an `AggregateError`. It has no
 * message, but contains one error per address.
 */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return summarizeError(error);
}
