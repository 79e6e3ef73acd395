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
import * as pendingCommissions from './0011-pending-commissions.ts';
import * as programUpdates from './0012-program-updates.ts';
import * as clickSubId from './0013-click-sub-id.ts';
import * as siteUrls from './0014-site-urls.ts';
import * as serviceSettings from './0015-service-settings.ts';
import * as programSafeguards from './0016-program-safeguards.ts';
import * as signInLimits from './0017-sign-in-limits.ts';
import * as severalRefunds from './0018-several-refunds.ts';
import * as disputes from './0019-disputes.ts';
import * as saleDetails from './0020-sale-details.ts';
import * as testRecords from './0021-test-records.ts';
import * as keptRefunds from './0022-kept-refunds.ts';
import * as browserSessions from './0023-browser-sessions.ts';
import * as programChecks from './0024-program-checks.ts';
import * as breakdowns from './0025-breakdowns.ts';
import * as listIndexes from './0026-list-indexes.ts';
import * as bulkRequests from './0027-bulk-requests.ts';
import * as testRefundIds from './0028-test-refund-ids.ts';
import * as oneTimeCodes from './0030-one-time-codes.ts';
import * as linkClicks from './0031-link-clicks.ts';
import * as foldedCodes from './0032-folded-codes.ts';
import * as largePrograms from './0033-large-programs.ts';
import * as heldCommissions from './0034-held-commissions.ts';
import * as emails from './0035-emails.ts';
import * as applications from './0036-applications.ts';
import * as payoutDetails from './0037-payout-details.ts';
import * as payoutBatches from './0038-payout-batches.ts';
import * as linkTotals from './0039-link-totals.ts';
import * as emailEvents from './0040-email-events.ts';
import * as payoutTransfers from './0041-payout-transfers.ts';
import * as cancelledBatches from './0043-cancelled-batches.ts';
import * as auditCodes from './0044-audit-codes.ts';
import * as heldTotals from './0045-held-totals.ts';
import * as shardTriggers from './0050-shard-triggers.ts';
import * as programShards from './0051-program-shards.ts';
import * as shardCommits from './0052-shard-commits.ts';
import * as clickMonths from './0054-click-months.ts';
import * as rateLimits from './0058-rate-limits.ts';
import * as webhooks from './0059-webhooks.ts';
import * as programImports from './0062-program-imports.ts';
import * as payoutPayees from './0063-payout-payees.ts';
import * as amountIndexes from './0064-amount-indexes.ts';
import * as lostDisputes from './0065-lost-disputes.ts';
import type { Dialect } from './dialect.ts';
import { isLockTimeout, setLockTimeout, TableLocked } from './lock-timeout.ts';
import { copySchema, createSchema, isEmptySqlite, type SchemaCopy } from './schema-copy.ts';

interface Migration {
  up(db: Kysely<unknown>, dialect: Dialect): Promise<void>;
}

/**
 * The migrations, in the order in which they run. This is not always the order of their numbers. Migrations cannot be
 * undone. A released migration must not be edited.
 */
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
  ['0011-pending-commissions', pendingCommissions],
  ['0012-program-updates', programUpdates],
  ['0013-click-sub-id', clickSubId],
  ['0014-site-urls', siteUrls],
  ['0015-service-settings', serviceSettings],
  ['0016-program-safeguards', programSafeguards],
  ['0017-sign-in-limits', signInLimits],
  ['0018-several-refunds', severalRefunds],
  ['0019-disputes', disputes],
  ['0020-sale-details', saleDetails],
  ['0021-test-records', testRecords],
  ['0022-kept-refunds', keptRefunds],
  ['0023-browser-sessions', browserSessions],
  ['0024-program-checks', programChecks],
  ['0025-breakdowns', breakdowns],
  ['0026-list-indexes', listIndexes],
  ['0027-bulk-requests', bulkRequests],
  ['0028-test-refund-ids', testRefundIds],
  ['0030-one-time-codes', oneTimeCodes],
  ['0031-link-clicks', linkClicks],
  ['0032-folded-codes', foldedCodes],
  ['0033-large-programs', largePrograms],
  ['0034-held-commissions', heldCommissions],
  ['0035-emails', emails],
  ['0036-applications', applications],
  ['0037-payout-details', payoutDetails],
  ['0038-payout-batches', payoutBatches],
  ['0040-email-events', emailEvents],
  ['0039-link-totals', linkTotals],
  ['0041-payout-transfers', payoutTransfers],
  ['0043-cancelled-batches', cancelledBatches],
  ['0044-audit-codes', auditCodes],
  ['0045-held-totals', heldTotals],
  ['0050-shard-triggers', shardTriggers],
  ['0051-program-shards', programShards],
  ['0052-shard-commits', shardCommits],
  ['0054-click-months', clickMonths],
  ['0058-rate-limits', rateLimits],
  ['0059-webhooks', webhooks],
  ['0062-program-imports', programImports],
  ['0063-payout-payees', payoutPayees],
  ['0064-amount-indexes', amountIndexes],
  ['0065-lost-disputes', lostDisputes],
];

/**
 * The schema after all migrations, from the first empty SQLite database that this process has migrated. Creating the
 * schema from this copy is several times as fast as running the migrations. Tests create many databases in a process.
 */
let sqliteSchema: SchemaCopy | undefined;

/**
 * Applies the missing migrations. The caller's transaction must block other processes (`BEGIN IMMEDIATE` or
 * an advisory lock). If several processes start at once, one of them migrates, and the others find nothing to
 * apply.
 * @param lockTimeoutMs how long a statement may wait for a lock on Postgres. 0 means no limit
 * @throws TableLocked when a statement waits longer; the caller must roll back and can try again
 * @throws Error when the database was migrated by a newer version, or its encoding is not UTF8
 */
export async function migrate(db: Kysely<Schema>, dialect: Dialect, lockTimeoutMs = 0): Promise<void> {
  // `Schema` describes only the current schema, but migrations run on older schemas.
  const untyped = db as unknown as Kysely<unknown>;
  if (dialect === 'postgres') await requireUtf8(untyped);
  const applied = await readApplied(untyped, dialect);
  const knownMigrations = new Set(MIGRATIONS.map(([name]) => name));
  const newer = applied.filter((name) => !knownMigrations.has(name));
  if (newer.length > 0) {
    throw new Error(
      `A newer version of Affkit has migrated the database (${newer.join(', ')}). Start that version, or restore a backup.`,
    );
  }
  const isEmpty = applied.length === 0 && dialect === 'sqlite' && (await isEmptySqlite(untyped));
  if (isEmpty && sqliteSchema) {
    await createSchema(untyped, sqliteSchema);
    const names = sql.join(MIGRATIONS.map(([name]) => sql`(${name})`));
    await sql`INSERT INTO affkit_migrations (name) VALUES ${names}`.execute(untyped);
    return;
  }
  for (const [name, migration] of MIGRATIONS) {
    if (applied.includes(name)) continue;
    if (dialect === 'postgres') await setLockTimeout(untyped, lockTimeoutMs);
    try {
      await migration.up(untyped, dialect);
    } catch (error) {
      throw isLockTimeout(error) ? new TableLocked(`The migration ${name}`, error) : error;
    }
    await sql`INSERT INTO affkit_migrations (name) VALUES (${name})`.execute(untyped);
  }
  if (isEmpty) sqliteSchema = await copySchema(untyped);
}

/**
 * Requires UTF8. In another encoding, some characters cannot be stored. A click would fail if the URL of its
 * page contained such a character.
 */
async function requireUtf8(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`SHOW server_encoding`.execute(db);
  const encoding = rows[0]?.server_encoding;
  if (encoding === 'UTF8') return;
  throw new Error(
    `The encoding of the database must be UTF8, got ${encoding}. Create a database with ENCODING 'UTF8', and use it.`,
  );
}

/** The migrations that a database has, compared with those of this version. */
export interface MigrationState {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** The migrations of a newer version of Affkit, which this version does not know. */
  readonly newer: readonly string[];
}

/** Compares the migrations of the database with those of this version. Changes nothing. */
export async function readMigrationState(db: Kysely<Schema>, dialect: Dialect): Promise<MigrationState> {
  const untyped = db as unknown as Kysely<unknown>;
  const applied = (await hasMigrationTable(untyped, dialect)) ? await listApplied(untyped) : [];
  const known = MIGRATIONS.map(([name]) => name);
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    newer: applied.filter((name) => !known.includes(name)),
  };
}

/**
 * Returns the names of the applied migrations. Creates the table of migrations if it is missing. On Postgres,
 * `CREATE TABLE IF NOT EXISTS` would fail for a role without the right to create tables, even if the table exists.
 */
async function readApplied(db: Kysely<unknown>, dialect: Dialect): Promise<string[]> {
  if (await hasMigrationTable(db, dialect)) return await listApplied(db);
  await sql`CREATE TABLE affkit_migrations (name TEXT PRIMARY KEY)`.execute(db);
  return [];
}

/** Whether the table of migrations exists. A table in another schema belongs to another installation. */
async function hasMigrationTable(db: Kysely<unknown>, dialect: Dialect): Promise<boolean> {
  const { rows } =
    dialect === 'sqlite'
      ? await sql`SELECT 1 FROM sqlite_master WHERE name = 'affkit_migrations'`.execute(db)
      : await sql`SELECT 1 FROM pg_tables WHERE tablename = 'affkit_migrations' AND schemaname = current_schema()`.execute(
          db,
        );
  return rows.length > 0;
}

async function listApplied(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM affkit_migrations ORDER BY name`.execute(db);
  return rows.map(({ name }) => name);
}
