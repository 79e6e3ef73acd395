import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { MIN_SECRET_LENGTH } from '@affkit/core';
import { ConfigError, type DatabaseConfig } from './config.ts';
import { summarizeError } from './error-summary.ts';

/**
 * The secret that the environment gives, or else the one kept beside the SQLite file, made on the first start.
 * Processes that start together get the same one. Also makes the folder of the database, for its owner alone.
 * @throws ConfigError when the folder or the secret's file can't be used
 */
export function resolveSecret(given: string | undefined, database: DatabaseConfig): string {
  if (database.kind === 'sqlite' && database.path !== ':memory:') makeFolder(database.path);
  if (given !== undefined) return given;
  if (database.kind === 'postgres') throw new ConfigError('AFFKIT_SECRET', 'is required with Postgres');
  return database.path === ':memory:' ? generate() : keep(`${database.path}.secret`);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ConfigError('DATABASE_URL', `names a folder that can't be made: ${summarizeError(error)}`);
  }
}

function keep(file: string): string {
  const draft = `${file}.${process.pid}`;
  try {
    // A file appears under its name only when it is complete, and never in place of another.
    writeFileSync(draft, `${generate()}\n`, { mode: 0o600, flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) {
      throw new ConfigError(
        'AFFKIT_SECRET',
        `is not set, and can't be kept in ${file}: ${summarizeError(error)}`,
      );
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new ConfigError('AFFKIT_SECRET', `is not set, and ${file} holds no secret`);
  }
  chmodSync(file, 0o600);
  return secret;
}

function generate(): string {
  return randomBytes(32).toString('base64url');
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
