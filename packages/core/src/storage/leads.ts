import type { Insertable } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';
import { pruneTestEvents } from './test-events.ts';

/** Adds a lead event. @returns its id */
export async function insertLead(tx: Transaction, lead: Insertable<Schema['lead_events']>): Promise<number> {
  const { id } = await tx.db.insertInto('lead_events').values(lead).returning('id').executeTakeFirstOrThrow();
  if (lead.is_test === 1) await pruneTestEvents(tx, 'lead_events', lead.program_id);
  return id;
}
