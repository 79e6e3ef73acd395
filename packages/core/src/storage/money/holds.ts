import { type Kysely, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import { withoutIndex } from '../database/without-index.ts';

/** How many commissions of a program are the next to be approved, with the workspace whose lane they belong to. */
export interface DueHolds {
  readonly programId: number;
  readonly workspaceId: number;
  readonly count: number;
}

/** Of the commissions whose hold has passed those that it passed first, by program. @param limit of all programs */
export async function findDueHolds(db: Kysely<Schema>, now: number, limit: number): Promise<DueHolds[]> {
  return await db
    .selectFrom(dueHolds(db, now).select('program_id').limit(limit).as('due'))
    .innerJoin('programs', 'programs.id', 'due.program_id')
    .select(['programs.id as programId', 'programs.workspace_id as workspaceId'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .groupBy(['programs.id', 'programs.workspace_id'])
    .orderBy('programs.id')
    .execute();
}

/** Approves as many of the program, those first whose hold passed first; what a refund has moved on meanwhile is none. */
export async function approveReleased(
  tx: Transaction,
  { programId, count }: DueHolds,
  now: number,
): Promise<void> {
  const place = tx.dialect === 'sqlite' ? sql.ref('rowid') : sql.ref('ctid');
  const places = dueHolds(tx.db, now)
    .select(place.as('place'))
    .where(withoutIndex('program_id'), '=', programId)
    .limit(count);
  // On Postgres a row may have changed while its lock was waited for. What is looked at again is kept from indexes: there
  // the few places are the way to it.
  const isDue =
    tx.dialect === 'sqlite'
      ? sql`rowid IN ${places}`
      : sql`ctid = ANY(ARRAY${places}) AND status || '' = 'pending' AND ${withoutIndex('program_id')} = ${programId}`;
  await sql`UPDATE commissions SET status = 'approved', approved_at = ${now} WHERE ${isDue}`.execute(tx.db);
}

function dueHolds(db: Kysely<Schema>, now: number) {
  return db
    .selectFrom('commissions')
    .where('status', '=', sql.lit('pending'))
    .where('releasable_at', '<=', now)
    .orderBy('releasable_at');
}
