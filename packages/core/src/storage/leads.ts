import type { Insertable } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import { insertRows, type Row } from './rows.ts';
import type { Schema } from './schema.ts';
import { pruneTestEvents } from './test-events.ts';

export type NewLead = Insertable<Schema['lead_events']>;

/** Adds real leads, in their order. @throws where one of their customers is a lead already */
export async function insertLeads(tx: Transaction, leads: readonly (NewLead & Row)[]): Promise<void> {
  await insertRows(tx, 'lead_events', leads);
}

/** Adds a test lead. @returns its id */
export async function insertTestLead(tx: Transaction, lead: NewLead): Promise<number> {
  const { id } = await tx.db.insertInto('lead_events').values(lead).returning('id').executeTakeFirstOrThrow();
  await pruneTestEvents(tx, 'lead_events', lead.program_id);
  return id;
}
