import { type Kysely, type Selectable, sql } from 'kysely';
import type { AttributionModel } from '../../domain/attribution.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

export type AuditRow = Selectable<Schema['audit_log']>;

export async function insertAuditRow(tx: Transaction, row: Omit<AuditRow, 'id'>): Promise<void> {
  await tx.db.insertInto('audit_log').values(row).execute();
}

/** Lists audit rows, newest first, with the email address of the user who acted. */
export async function listAuditRows(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  page: { readonly offset: number; readonly limit: number },
): Promise<{ rows: (AuditRow & { readonly actor_email: string | null })[]; total: number }> {
  const selected = db.selectFrom('audit_log').where('audit_log.workspace_id', 'in', idList(workspaceIds));
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await selected
    .leftJoin('users', (join) =>
      join.onRef('users.id', '=', 'audit_log.actor_id').on('audit_log.actor_kind', '=', 'user'),
    )
    .selectAll('audit_log')
    .select('users.email as actor_email')
    .orderBy('audit_log.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { rows, total };
}

/** A change of a program's attribution model, with the model before the change. */
export interface ModelChange {
  readonly at: number;
  readonly before: AttributionModel;
}

/** Lists the changes of a program's attribution model, oldest first. */
export async function listModelChanges(db: Kysely<Schema>, programId: number): Promise<ModelChange[]> {
  const updates = await db
    .selectFrom('audit_log')
    .select(['state_before', 'created_at'])
    .where('program_id', '=', programId)
    // A literal, because a parameter would prevent the use of the partial index `audit_log_program_updates`.
    .where('action', '=', sql.lit('program.update'))
    .orderBy('id')
    .execute();
  return updates.flatMap(({ state_before, created_at }) => {
    const before: { attribution_model?: AttributionModel } = JSON.parse(state_before ?? '{}');
    return before.attribution_model ? [{ at: created_at, before: before.attribution_model }] : [];
  });
}
