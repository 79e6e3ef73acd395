import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';
import { arrangeTables, prepareSchemaChange } from './arrange.ts';
import { findMisplaced, hasCitus, isArrangedAsCluster, readTables } from './tables.ts';

/** Thrown when the layout of the database is not complete, so that the service does not start. */
class WrongLayout extends Error {
  override readonly name = 'WrongLayout';
}

/** The maximum number of problems that a message lists. */
const MAX_LISTED = 3;

/**
 * Whether tables of the database are distributed on a Citus cluster. If not, the database is a single
 * Postgres server.
 */
async function isDistributed(db: Kysely<Schema>): Promise<boolean> {
  return (await hasCitus(db)) && isArrangedAsCluster(await readTables(db));
}

/**
 * Runs migrations, either on a Citus cluster or on a single Postgres server. On a cluster, new tables are
 * distributed in the same transaction. A cluster that `initCluster` has not completed is rejected before
 * anything is changed.
 * @throws WrongLayout
 */
export async function migrateCluster(db: Kysely<Schema>, migrate: () => Promise<void>): Promise<void> {
  if (!(await isDistributed(db))) return migrate();
  await requireLayout(db);
  await prepareSchemaChange(db);
  await migrate();
  await prepareSchemaChange(db);
  const run = (step: (db: Kysely<Schema>) => Promise<void>) => step(db);
  await arrangeTables({ read: db, run, onStep: () => {} });
}

async function requireLayout(db: Kysely<Schema>): Promise<void> {
  const misplaced = findMisplaced(await readTables(db));
  if (misplaced.length === 0) return;
  const listed = misplaced.slice(0, MAX_LISTED).map(({ message }) => message);
  if (misplaced.length > MAX_LISTED) listed.push(`and ${misplaced.length - MAX_LISTED} more`);
  throw new WrongLayout(
    `The tables are not distributed as expected: ${listed.join(', ')}. Run "affkit cluster init", then start again.`,
  );
}
