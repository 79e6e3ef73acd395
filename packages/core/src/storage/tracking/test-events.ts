import type { Insertable, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

const MAX_TEST_EVENTS = 100;

/** A click or lead in test mode. */
export type NewTestEvent =
  | { readonly table: 'click_events'; readonly row: Insertable<Schema['click_events']> }
  | { readonly table: 'lead_events'; readonly row: Insertable<Schema['lead_events']> };

/**
 * Stores test events. Then keeps only the latest 100 test events of each program in each table, and deletes the others.
 * @returns the ids of the events, in order
 */
export async function insertTestEvents(tx: Transaction, events: readonly NewTestEvent[]): Promise<number[]> {
  const ids: number[] = [];
  const programs = { click_events: new Set<number>(), lead_events: new Set<number>() };
  for (const event of events) {
    ids.push(await insertTestEvent(tx, event));
    programs[event.table].add(event.row.program_id);
  }
  for (const table of ['click_events', 'lead_events'] as const) {
    for (const programId of programs[table]) await pruneTestEvents(tx, table, programId);
  }
  return ids;
}

async function insertTestEvent({ db }: Transaction, event: NewTestEvent): Promise<number> {
  const { id } =
    event.table === 'click_events'
      ? await db.insertInto('click_events').values(event.row).returning('id').executeTakeFirstOrThrow()
      : await db.insertInto('lead_events').values(event.row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Lists the stored test-mode refunds of a sale. Old ones may have been deleted. */
export async function listTestRefunds(
  { db }: Transaction,
  sale: Pick<Selectable<Schema['sales']>, 'program_id' | 'id'>,
): Promise<Selectable<Schema['test_refunds']>[]> {
  return await db
    .selectFrom('test_refunds')
    .selectAll()
    .where('program_id', '=', sale.program_id)
    .where('sale_id', '=', sale.id)
    .execute();
}

/**
 * Stores a test-mode refund. Then keeps only the latest 100 test-mode refunds of the program, and deletes the others.
 * @returns its id
 */
export async function insertTestRefund(
  tx: Transaction,
  refund: Insertable<Schema['test_refunds']>,
): Promise<number> {
  const { id } = await tx.db
    .insertInto('test_refunds')
    .values(refund)
    .returning('id')
    .executeTakeFirstOrThrow();
  await pruneTestEvents(tx, 'test_refunds', refund.program_id);
  return id;
}

/** Keeps only the latest 100 test events of a program in the table, and deletes the others. */
export async function pruneTestEvents(
  tx: Transaction,
  table: 'click_events' | 'lead_events' | 'sales' | 'test_refunds',
  programId: number,
): Promise<void> {
  const newestToDelete = await tx.db
    .selectFrom(table)
    .select('id')
    .where('program_id', '=', programId)
    .where('is_test', '=', 1)
    .orderBy('id', 'desc')
    .offset(MAX_TEST_EVENTS)
    .limit(1)
    .executeTakeFirst();
  if (!newestToDelete) return;
  await tx.db
    .deleteFrom(table)
    .where('program_id', '=', programId)
    .where('is_test', '=', 1)
    .where('id', '<=', newestToDelete.id)
    .execute();
}
