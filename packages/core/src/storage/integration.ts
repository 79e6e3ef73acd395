import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** A test event, by its own time and by that of its arrival. */
export interface TestEvent {
  readonly id: number;
  readonly at: number;
  readonly createdAt: number;
}

/** The newest test clicks of a program. */
export async function listTestClicks(
  db: Kysely<Schema>,
  programId: number,
  limit: number,
): Promise<TestEvent[]> {
  return db
    .selectFrom('click_events')
    .select(['id', 'click_at as at', 'created_at as createdAt'])
    .where('program_id', '=', programId)
    .where('is_test', '=', 1)
    .orderBy('click_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** The newest test leads of a program. */
export async function listTestLeads(
  db: Kysely<Schema>,
  programId: number,
  limit: number,
): Promise<TestEvent[]> {
  return db
    .selectFrom('lead_events')
    .select(['id', 'lead_at as at', 'created_at as createdAt'])
    .where('program_id', '=', programId)
    .where('is_test', '=', 1)
    .orderBy('lead_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function hasApprovedPartner(db: Kysely<Schema>, programId: number): Promise<boolean> {
  const row = await db
    .selectFrom('partner_programs')
    .select('id')
    .where('program_id', '=', programId)
    .where('status', '=', 'approved')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
