import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import * as tracking from './0001-tracking.ts';
import * as commitMarkers from './0002-commit-markers.ts';
import * as reads from './0003-reads.ts';
import * as management from './0004-management.ts';
import * as money from './0005-money.ts';
import * as processor from './0006-processor.ts';
import * as credentials from './0007-credentials.ts';
import * as matchedRefunds from './0008-matched-refunds.ts';
import * as secretFingerprint from './0009-secret-fingerprint.ts';
import * as saleWindow from './0010-sale-window.ts';
import type { Dialect } from './dialect.ts';

interface Migration {
  up(db: Kysely<unknown>, dialect: Dialect): Promise<void>;
}

/** In order, forward only: a migration that has landed is never edited. */
const MIGRATIONS: readonly (readonly [name: string, migration: Migration])[] = [
  ['0001-tracking', tracking],
  ['0002-commit-markers', commitMarkers],
  ['0003-reads', reads],
  ['0004-management', management],
  ['0005-money', money],
  ['0006-processor', processor],
  ['0007-credentials', credentials],
  ['0008-matched-refunds', matchedRefunds],
  ['0009-secret-fingerprint', secretFingerprint],
  ['0010-sale-window', saleWindow],
];

/**
 * Applies what is missing. The caller's transaction must keep other processes out (`BEGIN IMMEDIATE`, or an
 * advisory lock), so that of several that start at once one migrates and the others find it done.
 */
export async function migrate(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  // DDL knows no types of rows.
  const untyped = db as unknown as Kysely<unknown>;
  await sql`CREATE TABLE IF NOT EXISTS affkit_migrations (name TEXT PRIMARY KEY)`.execute(untyped);
  const applied = await sql<{ name: string }>`SELECT name FROM affkit_migrations`.execute(untyped);
  const names = new Set(applied.rows.map((row) => row.name));
  for (const [name, migration] of MIGRATIONS) {
    if (names.has(name)) continue;
    await migration.up(untyped, dialect);
    await sql`INSERT INTO affkit_migrations (name) VALUES (${name})`.execute(untyped);
  }
}
