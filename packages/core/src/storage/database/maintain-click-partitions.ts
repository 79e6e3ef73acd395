import type { Kysely } from 'kysely';
import type { Logger } from '../../runtime.ts';
import { addMonths, listClickPartitions, lockPartitions, missingMonths } from './click-partitions.ts';
import type { Engine, Transaction } from './engine/engine.ts';
import {
  boundClickTable,
  checkClickTable,
  isClickTableDistributed,
  isClickTablePartitioned,
  partitionClickTable,
  unboundClickTable,
} from './migrations/partition-clicks.ts';
import type { Schema } from './schema.ts';

/**
 * Partitions the table of clicks by month if it is not partitioned yet, and adds the partitions of the next
 * months. If the connection's role is not allowed to alter tables, logs what to do. Does nothing on SQLite, or on a
 * Citus cluster whose table was distributed before it was partitioned.
 */
export async function maintainClickPartitions(
  engine: Engine,
  now: number,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  if (engine.dialect === 'sqlite') return;
  const onWait = (reason: Error) => log.warn({ err: reason }, 'waiting to alter the table of clicks');
  try {
    if (!(await isClickTablePartitioned(untyped(engine.read)))) {
      if (await isClickTableDistributed(untyped(engine.read))) return;
      await partitionLargeTable(engine, now, onWait);
      if (!(await isClickTablePartitioned(untyped(engine.read)))) return;
    }
    if (missingMonths(await listClickPartitions(engine.read), now).length === 0) return;
    await engine.maintain(async (tx) => {
      if (!(await lockPartitions(tx.db))) return;
      await addMonths(tx, missingMonths(await listClickPartitions(tx.db), now));
    }, onWait);
  } catch (error) {
    if (!isNotPermitted(error)) throw error;
    log.warn(
      { err: error },
      'cannot add the partitions of the next months: start the server once with the role that owns the tables',
    );
  }
}

/**
 * Partitions a table that is too large for the migration. Clicks wait only in the first and in the last step, and
 * only for milliseconds. The last step is fast because a checked constraint proves that no row is outside of the
 * first partition. If another server is partitioning the table, leaves it to that server.
 */
async function partitionLargeTable(
  engine: Engine,
  now: number,
  onWait: (reason: Error) => void,
): Promise<void> {
  /** @returns false if another server holds the lock, or has partitioned the table */
  const step = (work: (db: Kysely<unknown>, tx: Transaction) => Promise<void>) =>
    engine.maintain(async (tx) => {
      const isMine = (await lockPartitions(tx.db)) && !(await isClickTablePartitioned(untyped(tx.db)));
      if (isMine) await work(untyped(tx.db), tx);
      return isMine;
    }, onWait);
  try {
    // The lock is released after each step. If two servers took turns, each could skip a step that the other needs.
    if (!(await step(async (db) => void (await boundClickTable(db, now))))) return;
    if (!(await step(checkClickTable))) return;
    await step(async (db) => {
      const { end, isChecked } = await boundClickTable(db, now);
      if (isChecked) await partitionClickTable(db, end);
    });
  } catch (error) {
    await step(unboundClickTable).catch(() => {});
    throw error;
  }
}

/** Removes `Schema` from the type, because the functions of migrations accept a database with any schema. */
function untyped(db: Kysely<Schema>): Kysely<unknown> {
  return db as unknown as Kysely<unknown>;
}

/** Whether a statement failed because the role does not own the table, or has no right to create tables. */
function isNotPermitted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42501';
}
