import type { Insertable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { insertRows, type Row } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';

export type NewLead = Insertable<Schema['lead_events']>;

/** Stores real leads in the given order. @throws a unique violation when a customer already has a lead */
export async function insertLeads(tx: Transaction, leads: readonly (NewLead & Row)[]): Promise<void> {
  await insertRows(tx, 'lead_events', leads);
}
