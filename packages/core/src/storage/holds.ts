import { type Kysely, sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';
import { unindexed } from './unindexed.ts';

/** Workspaces with commissions whose hold has passed. */
export async function findWorkspacesOnHold(db: Kysely<Schema>, now: number): Promise<number[]> {
  const rows = await db
    .selectFrom('commissions')
    .innerJoin('programs', 'programs.id', 'commissions.program_id')
    .select('programs.workspace_id')
    .distinct()
    .where('commissions.status', '=', sql.lit('pending'))
    .where('commissions.releasable_at', '<=', now)
    .execute();
  return rows.map((row) => row.workspace_id);
}

/** Approves them; one that another process, or a refund, has moved on meanwhile is left as it is. */
export async function approveReleased(tx: Transaction, workspaceId: number, now: number): Promise<void> {
  await tx.db
    .updateTable('commissions')
    .set({ status: 'approved', approved_at: now })
    .where('status', '=', sql.lit('pending'))
    .where('releasable_at', '<=', now)
    .where(unindexed('program_id'), 'in', (programs) =>
      programs.selectFrom('programs').select('id').where('workspace_id', '=', workspaceId),
    )
    .execute();
}
