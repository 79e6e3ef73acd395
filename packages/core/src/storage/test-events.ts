import type { Insertable } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';

const KEPT_TEST_EVENTS = 100;

/** Adds a test click. @returns its id */
export async function insertTestClick(
  tx: Transaction,
  click: Insertable<Schema['click_events']>,
): Promise<number> {
  const { id } = await tx.db
    .insertInto('click_events')
    .values(click)
    .returning('id')
    .executeTakeFirstOrThrow();
  await pruneTestEvents(tx, 'click_events', click.program_id);
  return id;
}

/** Keeps the last 100 test events of a program and kind. */
export async function pruneTestEvents(
  tx: Transaction,
  table: 'click_events' | 'lead_events' | 'sales',
  programId: number,
): Promise<void> {
  const newestToDrop = await tx.db
    .selectFrom(table)
    .select('id')
    .where('program_id', '=', programId)
    .where('is_test', '=', 1)
    .orderBy('id', 'desc')
    .offset(KEPT_TEST_EVENTS)
    .limit(1)
    .executeTakeFirst();
  if (!newestToDrop) return;
  await tx.db
    .deleteFrom(table)
    .where('program_id', '=', programId)
    .where('is_test', '=', 1)
    .where('id', '<=', newestToDrop.id)
    .execute();
}
