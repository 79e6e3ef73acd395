import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';
import { ANCHOR, canReference, describePlacement, LAYOUT, layoutOf, type Placement } from './layout.ts';
import {
  type ClusterTable,
  type ForeignKey,
  findMisplaced,
  PENDING_FOREIGN_KEYS,
  readForeignKeys,
  readTables,
} from './tables.ts';

/** Runs one step of `arrangeTables`. A step is either done completely or not at all. */
type RunStep = (step: (db: Kysely<Schema>) => Promise<void>) => Promise<void>;

export interface Arrangement {
  /** Reads the current tables, including the changes of earlier steps. */
  readonly read: Kysely<Schema>;
  readonly run: RunStep;
  /**
   * The number of shards of the first distributed table. All other distributed tables get the same number.
   * @default Citus's setting
   */
  readonly shards?: number;
  /** Called before each step. `fraction` is the share of the steps that are done, from 0 to 1. */
  readonly onStep: (description: string, fraction: number) => void;
}

/** An arrangement that computes the `fraction` of `Arrangement.onStep` by counting the steps. */
interface CountedArrangement extends Omit<Arrangement, 'onStep'> {
  readonly onStep: (description: string) => void;
}

/** A foreign key that must be removed, because Citus does not support it during the move, or at all. */
interface Removal {
  readonly key: ForeignKey;
  /** Whether the key is added again after the move. */
  readonly isKept: boolean;
  readonly reason: string;
}

/**
 * Gives each table the placement that `LAYOUT` defines. The steps are computed from the current state of the database.
 * If a step fails or the process is killed, the next call therefore continues where this call stopped.
 */
export async function arrangeTables(arrangement: Arrangement): Promise<void> {
  const { read } = arrangement;
  const removals = await planRemovals(read);
  const moves = findMisplaced(await readTables(read)).filter(({ expected }) => expected);
  const kept = removals.filter(({ isKept }) => isKept);
  const steps = removals.length + moves.length + kept.length + (await readPendingForeignKeys(read)).length;
  let started = 0;
  const counted: CountedArrangement = {
    ...arrangement,
    onStep: (description) => {
      arrangement.onStep(description, started / steps);
      started += 1;
    },
  };
  await removeForeignKeys(counted, removals);
  await moveTables(counted);
  await restoreForeignKeys(counted);
}

/** Applies the settings for a transaction that changes distributed tables. */
export async function prepareSchemaChange(db: Kysely<Schema>): Promise<void> {
  await sql`SET LOCAL citus.enable_unsafe_triggers = on`.execute(db);
  // Use one connection per worker. Otherwise, a statement would not see the changes of earlier statements.
  await sql`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`.execute(db);
}

async function planRemovals(read: Kysely<Schema>): Promise<Removal[]> {
  const misplaced = new Set(findMisplaced(await readTables(read)).map(({ table }) => table));
  return (await readForeignKeys(read)).flatMap((key) => {
    const [from, to] = [layoutOf(key.from), layoutOf(key.to)];
    if (!from || !to) return [];
    const isKept = canReference(from, to);
    if (isKept && !misplaced.has(key.from) && !misplaced.has(key.to)) return [];
    const reason = isKept
      ? 'it is added again after its tables are moved'
      : `Citus does not support a foreign key of ${describeBoth(from, to)}`;
    return [{ key, isKept, reason }];
  });
}

async function removeForeignKeys(
  { run, onStep }: CountedArrangement,
  removals: readonly Removal[],
): Promise<void> {
  for (const { key, isKept, reason } of removals) {
    onStep(`remove the foreign key ${key.name}: ${reason}`);
    await run(async (db) => {
      await prepareSchemaChange(db);
      if (isKept) await keepForeignKey(db, key);
      await sql`ALTER TABLE ${sql.table(key.from)} DROP CONSTRAINT ${sql.ref(key.name)}`.execute(db);
    });
  }
}

function describeBoth(from: Placement, to: Placement): string {
  return `a ${describePlacement(from)} table that references a ${describePlacement(to)} table`;
}

async function keepForeignKey(db: Kysely<Schema>, key: ForeignKey): Promise<void> {
  const table = sql.table(PENDING_FOREIGN_KEYS);
  await sql`CREATE TABLE IF NOT EXISTS ${table} ("table" TEXT, name TEXT, definition TEXT, PRIMARY KEY ("table", name))`.execute(
    db,
  );
  await sql`INSERT INTO ${table} VALUES (${key.from}, ${key.name}, ${key.definition})`.execute(db);
}

async function moveTables({ read, run, shards, onStep }: CountedArrangement): Promise<void> {
  const misplaced = findMisplaced(await readTables(read));
  const order = Object.keys(LAYOUT);
  misplaced.sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table));
  for (const { table, expected } of misplaced) {
    if (!expected) continue;
    onStep(`move ${table}: ${describePlacement(expected)}`);
    await run((db) => moveTable(db, table, expected, shards));
  }
}

async function moveTable(
  db: Kysely<Schema>,
  table: string,
  target: Placement,
  shards: number | undefined,
): Promise<void> {
  await prepareSchemaChange(db);
  if (shards !== undefined) await sql`SET LOCAL citus.shard_count = ${sql.lit(shards)}`.execute(db);
  const current = (await readTables(db)).find(({ name }) => name === table);
  if (!current) return;
  const triggers = await dropTriggers(db, table);
  const calls = callsToMove(current, target);
  // Citus copies the rows to the shards, but keeps the old rows on the coordinator. Delete the old rows,
  // because nothing reads them anymore.
  if (target.kind === 'distributed' || target.kind === 'reference') {
    calls.push(`truncate_local_data_after_distributing_table('${table}')`);
  }
  for (const call of calls) await sql.raw(`DO $$ BEGIN PERFORM ${call}; END $$`).execute(db);
  for (const trigger of triggers) await sql.raw(trigger).execute(db);
}

/**
 * Drops the triggers of a table, because they must not run for rows that are only moved. For example, they would
 * count the rows in totals again.
 * @returns the statements that create the triggers
 */
async function dropTriggers(db: Kysely<Schema>, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string; definition: string }>`
    SELECT tgname AS name, pg_get_triggerdef(oid) AS definition FROM pg_trigger
    WHERE tgrelid = ${table}::regclass AND NOT tgisinternal AND tgparentid = 0 ORDER BY tgname`.execute(db);
  for (const { name } of rows) {
    await sql`DROP TRIGGER ${sql.ref(name)} ON ${sql.table(table)}`.execute(db);
  }
  return rows.map(({ definition }) => definition);
}

function callsToMove({ name, placement }: ClusterTable, target: Placement): string[] {
  const calls = [];
  const mustUndo = placement.kind !== 'local' && !(placement.kind === 'managed' && target.kind !== 'local');
  if (mustUndo) calls.push(`undistribute_table('${name}')`);
  if (target.kind === 'reference') calls.push(`create_reference_table('${name}')`);
  if (target.kind === 'managed') calls.push(`citus_add_local_table_to_metadata('${name}')`);
  if (target.kind === 'distributed') {
    const group = target.column === 'program_id' && name !== ANCHOR ? ANCHOR : 'none';
    calls.push(`create_distributed_table('${name}', '${target.column}', colocate_with => '${group}')`);
  }
  return calls;
}

interface PendingForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

async function hasPendingForeignKeys(read: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql`SELECT FROM pg_tables
    WHERE schemaname = current_schema() AND tablename = ${PENDING_FOREIGN_KEYS}`.execute(read);
  return rows.length > 0;
}

async function readPendingForeignKeys(read: Kysely<Schema>): Promise<PendingForeignKey[]> {
  if (!(await hasPendingForeignKeys(read))) return [];
  const { rows } = await sql<PendingForeignKey>`SELECT * FROM ${sql.table(PENDING_FOREIGN_KEYS)}
    ORDER BY "table", name`.execute(read);
  return rows;
}

async function restoreForeignKeys({ read, run, onStep }: CountedArrangement): Promise<void> {
  if (!(await hasPendingForeignKeys(read))) return;
  const table = sql.table(PENDING_FOREIGN_KEYS);
  for (const key of await readPendingForeignKeys(read)) {
    onStep(`add the foreign key ${key.name}`);
    await run(async (db) => {
      await prepareSchemaChange(db);
      await sql`ALTER TABLE ${sql.table(key.table)} ADD CONSTRAINT ${sql.ref(key.name)}
        ${sql.raw(key.definition)}`.execute(db);
      await sql`DELETE FROM ${table} WHERE "table" = ${key.table} AND name = ${key.name}`.execute(db);
    });
  }
  await run(async (db) => void (await sql`DROP TABLE ${table}`.execute(db)));
}
