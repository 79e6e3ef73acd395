import { type Kysely, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import { withoutIndex } from '../database/without-index.ts';
import type { CommissionRow } from './commissions.ts';

/**
 * A program, and the number of its commissions that can be approved because their hold has ended. Approve these
 * commissions in the write lane of the program's workspace; see `Engine.write`.
 */
export interface DueHolds {
  readonly programId: number;
  readonly workspaceId: number;
  readonly count: number;
}

/**
 * Counts, for each program, the commissions whose hold has ended. Commissions that need an approval or are disputed are
 * not counted. If there are more than `limit`, only the commissions whose hold ended first are counted.
 * @param limit the maximum number of commissions over all programs
 */
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

/**
 * Approves up to `count` commissions of the program, beginning with those whose hold ended first. Commissions
 * that are no longer pending are skipped.
 * @returns the approved commissions in the order of their ids if `returnsRows` is true, otherwise an empty list
 */
export async function approveReleased(
  tx: Transaction,
  { programId, count }: DueHolds,
  now: number,
  returnsRows = false,
): Promise<CommissionRow[]> {
  const rowAddress = tx.dialect === 'sqlite' ? sql.ref('rowid') : sql.ref('ctid');
  const due = dueHolds(tx.db, now)
    .select(rowAddress.as('row_address'))
    .where(tx.isCluster ? sql<number>`program_id` : withoutIndex('program_id'), '=', programId)
    .limit(count);
  // On Postgres, another process may change a row after the subquery has read it and before the UPDATE has locked it.
  // The UPDATE therefore repeats the conditions that can change, and Postgres checks them again after it has locked the
  // row. The conditions are expressions that match no index. Otherwise, the planner could choose an index instead of
  // `ctid`, which finds the rows fastest. On Citus, the condition on `program_id` uses the plain column, because Citus
  // needs it to find the worker.
  const isDue =
    tx.dialect === 'sqlite'
      ? sql`rowid IN ${due}`
      : sql`ctid = ANY(ARRAY${due}) AND status || '' = 'pending' AND needs_approval + 0 = 0 AND disputed + 0 = 0
          AND ${tx.isCluster ? sql`program_id` : withoutIndex('program_id')} = ${programId}`;
  const returning = returnsRows ? sql`RETURNING *` : sql``;
  const { rows } = await sql<CommissionRow>`
    UPDATE commissions SET status = 'approved', approved_at = ${now} WHERE ${isDue} ${returning}`.execute(
    tx.db,
  );
  return rows.sort((one, other) => one.id - other.id);
}

function dueHolds(db: Kysely<Schema>, now: number) {
  return db
    .selectFrom('commissions')
    .where('status', '=', sql.lit('pending'))
    .where('releasable_at', '<=', now)
    .where('needs_approval', '=', sql.lit(0))
    .where('disputed', '=', sql.lit(0))
    .orderBy('releasable_at');
}
