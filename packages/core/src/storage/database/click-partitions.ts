import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isoMonth, type Month, monthOf, startOfMonth } from '../../domain/month.ts';
import type { Transaction } from './engine/engine.ts';
import { FUTURE_PARTITION } from './migrations/partition-clicks.ts';
import type { Schema } from './schema.ts';

/**
 * A partition of `click_events`. `to` is exclusive. For the first partition, `from` is null. For the last
 * partition, `to` is null.
 */
export interface ClickPartition {
  readonly name: string;
  readonly from: number | null;
  readonly to: number | null;
}

/** The key of the advisory lock that lets only one process at a time change partitions. */
const PARTITION_LOCK = 0x61666b697402;
/** Partitions are created up to this many months after the current month. */
const MONTHS_AHEAD = 3;

/** @returns false when another process is changing partitions */
export async function lockPartitions(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`SELECT
    pg_try_advisory_xact_lock(${sql.lit(PARTITION_LOCK)}) AS "isLocked"`.execute(db);
  return rows[0]?.isLocked === true;
}

/** Lists the partitions, oldest first. */
export async function listClickPartitions(db: Kysely<Schema>): Promise<ClickPartition[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'click_events'::regclass`.execute(db);
  return rows
    .map(({ name, bounds }) => {
      const [, from, to] = /FROM \('?(\w+)'?\) TO \('?(\w+)'?\)/.exec(bounds) ?? [];
      return { name, from: boundOf(from), to: boundOf(to) };
    })
    .sort((a, b) => (a.from ?? Number.NEGATIVE_INFINITY) - (b.from ?? Number.NEGATIVE_INFINITY));
}

/**
 * Lists the months that need a partition: from the start of the last, open-ended partition up to three months
 * from now.
 */
export function missingMonths(partitions: readonly ClickPartition[], now: number): Month[] {
  const open = partitions.at(-1)?.from ?? null;
  if (open === null) return [];
  const months: Month[] = [];
  for (let month = monthOf(open); month <= monthOf(now) + MONTHS_AHEAD; month++) months.push(month);
  return months;
}

/**
 * Adds partitions for months that directly follow the last month with a partition. Clicks of these months that
 * are already stored are moved to the new partitions. New clicks wait until the partitions are added, usually
 * for some milliseconds.
 */
export async function addMonths({ db }: Transaction, months: readonly Month[]): Promise<void> {
  const [first] = months;
  const last = months.at(-1);
  if (first === undefined || last === undefined) return;
  const future = sql.table(FUTURE_PARTITION);
  // Create the tables with their indexes first. This does not block clicks, but the next steps do.
  for (const month of months) await createDetached(db, partitionName(month));
  await sql`ALTER TABLE click_events DETACH PARTITION ${future}`.execute(db);
  for (const month of months) {
    const table = sql.table(partitionName(month));
    // On a Citus cluster, the table is distributed when it is attached. Each worker can then move its own clicks.
    await attach(db, table, startOfMonth(month), startOfMonth(month + 1));
    const isOfMonth = sql`click_at < ${startOfMonth(month + 1)}`;
    await sql`INSERT INTO ${table} SELECT * FROM ${future} WHERE ${isOfMonth}`.execute(db);
    await sql`DELETE FROM ${future} WHERE ${isOfMonth}`.execute(db);
  }
  await attach(db, future, startOfMonth(last + 1), null);
}

/** Returns the name of the table that will replace the partition of a month. */
export function keptTable(month: Month): string {
  return `${partitionName(month)}_kept`;
}

export async function hasKeptTable(db: Kysely<Schema>, month: Month): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`SELECT
    to_regclass(${keptTable(month)}) IS NOT NULL AS "isThere"`.execute(db);
  return rows[0]?.isThere === true;
}

/** Creates the table that will replace a partition. A table from an interrupted attempt is dropped. */
export async function createKeptTable({ db, isCluster }: Transaction, month: Month): Promise<void> {
  const table = keptTable(month);
  await sql`DROP TABLE IF EXISTS ${sql.table(table)}`.execute(db);
  await createDetached(db, table);
  // Distribute the table while it is empty, so that no rows are moved. Each worker then copies its own clicks.
  if (isCluster) {
    await sql`SELECT create_distributed_table(${table}, 'program_id', colocate_with => 'click_events')`.execute(
      db,
    );
  }
}

/**
 * Whether `createKeptTable` created the table. If a removal of clicks is interrupted, such a table remains until the
 * next removal.
 */
export function isKeptTable(table: string): boolean {
  return /^click_events_\d{4}_\d{2}_kept$/.test(table);
}

/**
 * Replaces the partition of a month with the table that contains the clicks to keep.
 * @param finish gets the name of the old partition; runs after the old partition is detached, so that no click of the
 * month can change
 */
export async function replacePartition(
  { db }: Transaction,
  month: Month,
  { name, from, to }: ClickPartition,
  finish: (removed: string) => Promise<void>,
): Promise<void> {
  const kept = keptTable(month);
  await sql`ALTER TABLE click_events DETACH PARTITION ${sql.table(name)}`.execute(db);
  await finish(name);
  await sql`DROP TABLE ${sql.table(name)}`.execute(db);
  for (const suffix of ['', '_pkey', '_by_time', '_by_customer', '_by_sub_id', '_by_partner']) {
    const kind = suffix === '' ? sql`TABLE` : sql`INDEX`;
    await sql`ALTER ${kind} ${sql.table(`${kept}${suffix}`)} RENAME TO ${sql.table(`${name}${suffix}`)}`.execute(
      db,
    );
  }
  await attach(db, sql.table(name), from, to);
}

function partitionName(month: Month): string {
  return `click_events_${isoMonth(month).replace('-', '_')}`;
}

/** Creates a table that can be attached as a partition without building an index. */
async function createDetached(db: Kysely<Schema>, name: string): Promise<void> {
  const table = sql.table(name);
  const index = (suffix: string) => sql.id(`${name}_${suffix}`);
  await sql`CREATE TABLE ${table} (LIKE click_events, CONSTRAINT ${index('pkey')} PRIMARY KEY (program_id, id))`.execute(
    db,
  );
  await sql`CREATE INDEX ${index('by_time')} ON ${table} (program_id, is_test, click_at, id)`.execute(db);
  await sql`CREATE INDEX ${index('by_customer')} ON ${table} (program_id, customer_id)`.execute(db);
  await sql`CREATE INDEX ${index('by_sub_id')} ON ${table} (program_id, is_test, sub_id, click_at)
    WHERE sub_id IS NOT NULL`.execute(db);
  await sql`CREATE INDEX ${index('by_partner')} ON ${table} (program_id, partner_id, click_at, id, link_id)
    WHERE is_test = 0`.execute(db);
}

async function attach(
  db: Kysely<Schema>,
  table: RawBuilder<unknown>,
  from: number | null,
  to: number | null,
): Promise<void> {
  const bound = (at: number | null, open: string) => (at === null ? sql.raw(open) : sql.lit(at));
  await sql`ALTER TABLE click_events ATTACH PARTITION ${table}
    FOR VALUES FROM (${bound(from, 'MINVALUE')}) TO (${bound(to, 'MAXVALUE')})`.execute(db);
}

function boundOf(text: string | undefined): number | null {
  return text === undefined || text === 'MINVALUE' || text === 'MAXVALUE' ? null : Number(text);
}
