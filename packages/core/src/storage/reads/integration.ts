import { type Kysely, sql } from 'kysely';
import type { Schema } from '../database/schema.ts';

/** A test event, with its reported time and the time when it was stored. */
export interface ListedTestEvent {
  readonly id: number;
  readonly at: number;
  readonly createdAt: number;
}

const TEST_EVENT_TIMES = { click_events: 'click_at', lead_events: 'lead_at' } as const;

/** Lists the latest test events of a program in one table. */
export async function listTestEvents(
  db: Kysely<Schema>,
  table: keyof typeof TEST_EVENT_TIMES,
  programId: number,
  limit: number,
): Promise<ListedTestEvent[]> {
  const at = sql<number>`${sql.ref(TEST_EVENT_TIMES[table])}`;
  return db
    .selectFrom(table)
    .select(['id', at.as('at'), 'created_at as createdAt'])
    .where('program_id', '=', programId)
    .where('is_test', '=', 1)
    .orderBy(at, 'desc')
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
