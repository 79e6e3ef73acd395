import { type Kysely, sql } from 'kysely';
import { monthOf, startOfMonth } from '../../../domain/month.ts';

/** The first partition. It is the former, unpartitioned table, and also gets new clicks for at least a month. */
const HISTORY = 'click_events_history';
/**
 * The last partition. It contains all clicks after the last month that has its own partition, so that every click can
 * be stored.
 */
export const FUTURE_PARTITION = 'click_events_future';
const BOUND = 'click_events_history_bound';
/** Checking the rows of a table of this size takes less than a second. */
const MAX_SMALL_BYTES = 64 * 1024 * 1024;
const INDEX_SUFFIXES = ['by_time', 'by_customer', 'by_sub_id', 'by_partner'] as const;
const INDEX_COLUMNS = {
  by_time: '(program_id, is_test, click_at, id)',
  by_customer: '(program_id, customer_id)',
  by_sub_id: '(program_id, is_test, sub_id, click_at) WHERE sub_id IS NOT NULL',
  by_partner: '(program_id, partner_id, click_at, id, link_id) WHERE is_test = 0',
} as const;

type Database = Kysely<unknown>;

/**
 * Partitions the table of clicks if its rows can be checked quickly. The table is locked during this time. A
 * table that is already distributed on a Citus cluster stays as it is, because Citus cannot partition it
 * without moving every click.
 */
export async function partitionSmallClickTable(db: Database, now: number): Promise<void> {
  if (await isClickTableDistributed(db)) return;
  const { rows } = await sql<{ bytes: number }>`SELECT pg_relation_size('click_events') AS bytes`.execute(db);
  if (Number(rows[0]?.bytes ?? 0) > MAX_SMALL_BYTES) return;
  await lockClickTable(db);
  await partitionClickTable(db, await findHistoryEnd(db, now));
}

/** Whether Citus distributes the table of clicks over several servers. */
export async function isClickTableDistributed(db: Database): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`SELECT
    to_regclass('pg_dist_partition') IS NOT NULL AS "isThere"`.execute(db);
  if (rows[0]?.isThere !== true) return false;
  const distributed = await sql`SELECT FROM pg_dist_partition
    WHERE logicalrelid = 'click_events'::regclass`.execute(db);
  return distributed.rows.length > 0;
}

/** Whether the table of clicks is partitioned. */
export async function isClickTablePartitioned(db: Database): Promise<boolean> {
  const { rows } = await sql<{ relkind: string }>`SELECT relkind FROM pg_class
    WHERE oid = 'click_events'::regclass`.execute(db);
  return rows[0]?.relkind === 'p';
}

/**
 * The first step for a large table: limits the times of new clicks, without checking the existing ones. The
 * limit is at least a month ahead. If an earlier attempt has set a limit that is too close, it is replaced.
 * @returns the limit, and whether the existing clicks were checked
 */
export async function boundClickTable(
  db: Database,
  now: number,
): Promise<{ end: number; isChecked: boolean }> {
  const found = await findBound(db);
  if (found && found.end > startOfMonth(monthOf(now) + 1)) return found;
  if (found) await sql`ALTER TABLE click_events DROP CONSTRAINT ${sql.id(BOUND)}`.execute(db);
  const end = await findHistoryEnd(db, now);
  await sql`ALTER TABLE click_events ADD CONSTRAINT ${sql.id(BOUND)} CHECK (click_at < ${sql.lit(end)}) NOT VALID`.execute(
    db,
  );
  return { end, isChecked: false };
}

async function findBound(db: Database): Promise<{ end: number; isChecked: boolean } | null> {
  const { rows } = await sql<{ definition: string; isChecked: boolean }>`
    SELECT pg_get_constraintdef(oid) AS definition, convalidated AS "isChecked" FROM pg_constraint
    WHERE conrelid = 'click_events'::regclass AND conname = ${BOUND}`.execute(db);
  return rows[0] ? { end: boundOf(rows[0].definition), isChecked: rows[0].isChecked } : null;
}

/**
 * The second step for a large table: checks that the times of all existing clicks are within the limit that
 * `boundClickTable` has set. New clicks can be stored during the check. Does nothing if another server has failed
 * and has therefore removed the limit.
 */
export async function checkClickTable(db: Database): Promise<void> {
  if (await findBound(db))
    await sql`ALTER TABLE click_events VALIDATE CONSTRAINT ${sql.id(BOUND)}`.execute(db);
}

/** Removes the limit of `boundClickTable`, so that no click can fail because of it. */
export async function unboundClickTable(db: Database): Promise<void> {
  await sql`ALTER TABLE click_events DROP CONSTRAINT IF EXISTS ${sql.id(BOUND)}`.execute(db);
}

/**
 * Makes the table of clicks the first partition of a new table with the same name. No row is copied. Postgres
 * reads all rows unless a valid CHECK constraint limits them to times before `end`.
 */
export async function partitionClickTable(db: Database, end: number): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  // Without the lock, a click that is stored after `findNextId` could have an id that the new table assigns
  // again.
  await lockClickTable(db);
  const nextId = await findNextId(db);
  const grants = await listGrants(db);
  await run(`ALTER TABLE click_events RENAME TO ${HISTORY}`);
  await run(`ALTER TABLE ${HISTORY} RENAME CONSTRAINT click_events_pkey TO ${HISTORY}_pkey`);
  for (const suffix of INDEX_SUFFIXES) {
    await run(`ALTER INDEX click_events_${suffix} RENAME TO ${HISTORY}_${suffix}`);
  }
  await run(`ALTER TABLE ${HISTORY} ALTER COLUMN id DROP IDENTITY`);
  await run(`CREATE TABLE click_events (LIKE ${HISTORY}) PARTITION BY RANGE (click_at)`);
  await run(`ALTER TABLE click_events ALTER COLUMN id
    ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME click_events_id_seq START WITH ${nextId})`);
  for (const suffix of INDEX_SUFFIXES) {
    await run(`CREATE INDEX click_events_${suffix} ON click_events ${INDEX_COLUMNS[suffix]}`);
  }
  for (const grant of grants) await run(grant);
  await run(`ALTER TABLE click_events ATTACH PARTITION ${HISTORY} FOR VALUES FROM (MINVALUE) TO (${end})`);
  await run(`ALTER TABLE ${HISTORY} DROP CONSTRAINT IF EXISTS ${BOUND}`);
  await run(`CREATE TABLE ${FUTURE_PARTITION} PARTITION OF click_events (PRIMARY KEY (program_id, id))
    FOR VALUES FROM (${end}) TO (MAXVALUE)`);
}

async function lockClickTable(db: Database): Promise<void> {
  await sql`DO $$ BEGIN LOCK TABLE click_events IN ACCESS EXCLUSIVE MODE; END $$`.execute(db);
}

/**
 * Finds the end of the history partition. It is the end of a month, is later than every stored click, and is
 * at least a month from now.
 */
async function findHistoryEnd(db: Database, now: number): Promise<number> {
  const { rows } = await sql<{
    at: number | null;
  }>`SELECT MAX(last.at) AS at FROM programs AS p CROSS JOIN LATERAL
    (SELECT click_at AS at FROM click_events AS e WHERE e.program_id = p.id AND e.is_test = 0
      ORDER BY click_at DESC LIMIT 1) AS last`.execute(db);
  const latest = Math.max(now, Number(rows[0]?.at ?? 0));
  return startOfMonth(monthOf(latest) + 2);
}

async function findNextId(db: Database): Promise<number> {
  const { rows } = await sql<{
    id: number | null;
  }>`SELECT pg_sequence_last_value(pg_get_serial_sequence('click_events', 'id')::regclass) AS id`.execute(db);
  return Number(rows[0]?.id ?? 0) + 1;
}

/** Lists GRANT statements for the rights that other roles have on the table of clicks and its sequence. */
async function listGrants(db: Database): Promise<string[]> {
  const { rows } = await sql<{
    statement: string;
  }>`SELECT format('GRANT %s ON %s %I TO %s', acl.privilege_type,
      CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relname,
      CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(acl.grantee)) END) AS statement
    FROM pg_class AS c CROSS JOIN LATERAL aclexplode(c.relacl) AS acl
    WHERE c.oid IN ('click_events'::regclass, pg_get_serial_sequence('click_events', 'id')::regclass)
      AND acl.grantee <> c.relowner`.execute(db);
  return rows.map(({ statement }) => statement);
}

function boundOf(definition: string): number {
  return Number(/\d+/.exec(definition)?.[0] ?? 0);
}
