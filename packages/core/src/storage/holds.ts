import { type Kysely, sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import { rowsAs } from './rows.ts';
import type { Schema } from './schema.ts';

/** A commission whose hold has passed, with the workspace whose lane it belongs to. */
export interface DueHold {
  readonly workspaceId: number;
  readonly programId: number;
  readonly commissionId: number;
}

/** Commissions whose hold has passed, the longest ago first. */
export async function findDueHolds(db: Kysely<Schema>, now: number, limit: number): Promise<DueHold[]> {
  return await db
    .selectFrom('commissions')
    .innerJoin('programs', 'programs.id', 'commissions.program_id')
    .select([
      'programs.workspace_id as workspaceId',
      'commissions.program_id as programId',
      'commissions.id as commissionId',
    ])
    .where('commissions.status', '=', sql.lit('pending'))
    .where('commissions.releasable_at', '<=', now)
    .orderBy('commissions.releasable_at')
    .limit(limit)
    .execute();
}

/** Approves them; one that another process, or a refund, has moved on meanwhile is left as it is. */
export async function approveReleased(
  tx: Transaction,
  holds: readonly DueHold[],
  now: number,
): Promise<void> {
  const rows = holds.map(({ programId, commissionId }) => ({ program_id: programId, id: commissionId }));
  await sql`
    UPDATE commissions SET status = 'approved', approved_at = ${now}
    FROM ${rowsAs(tx, 'due', { program_id: 'integer', id: 'integer' }, rows)}
    WHERE commissions.program_id = due.program_id AND commissions.id = due.id AND commissions.status = 'pending'`.execute(
    tx.db,
  );
}
