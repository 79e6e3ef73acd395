import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { MIN_SECRET_LENGTH } from '@affkit/core';
import type { DatabaseConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { createDatabaseFolder } from './database.ts';
import { summarizeError } from './error-summary.ts';

/**
 * Returns the configured secret, or else the secret in a file next to the SQLite database. The first start
 * creates the file. Processes that start at the same time get the same secret. Also creates the folder of the
 * database with mode 0700.
 * @throws ConfigError when the folder or the file with the secret cannot be used
 */
export function resolveSecret(configured: string | undefined, database: DatabaseConfig): string {
  createDatabaseFolder(database);
  if (configured !== undefined) return configured;
  if (database.kind === 'postgres') throw new ConfigError('AFFKIT_SECRET', 'is required with Postgres.');
  return database.path === ':memory:' ? generateSecret() : readOrCreateSecret(`${database.path}.secret`);
}

function readOrCreateSecret(file: string): string {
  const draft = `${file}.${process.pid}`;
  try {
    // Write the whole secret under a temporary name first, so that no process reads half of it. `linkSync` fails if
    // another process has already created the file.
    writeFileSync(draft, `${generateSecret()}\n`, { mode: 0o600, flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) {
      throw new ConfigError(
        'AFFKIT_SECRET',
        `is not set, and a generated secret can't be stored in ${file}: ${summarizeError(error)}`,
      );
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const secret = readSecret(file);
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new ConfigError(
      'AFFKIT_SECRET',
      `is not set, and ${file} has fewer than ${MIN_SECRET_LENGTH} characters. Restore that file or set AFFKIT_SECRET.`,
    );
  }
  return secret;
}

/** Reads the file, and lets only its owner read it from now on. */
function readSecret(file: string): string {
  try {
    const secret = readFileSync(file, 'utf8').trim();
    chmodSync(file, 0o600);
    return secret;
  } catch (error) {
    throw new ConfigError(
      'AFFKIT_SECRET',
      `is not set, and ${file} can't be used: ${summarizeError(error)}. It must be a file that the server's user owns.`,
    );
  }
}

function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
