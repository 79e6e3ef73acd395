import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';

export type AuditRow = Selectable<Schema['audit_log']>;

export async function insertAuditRow(tx: Transaction, row: Omit<AuditRow, 'id'>): Promise<void> {
  await tx.db.insertInto('audit_log').values(row).execute();
}

/** Newest first, with the e-mail of a user who acted. */
export async function listAuditRows(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  page: { readonly offset: number; readonly limit: number },
): Promise<{ rows: (AuditRow & { readonly actor_email: string | null })[]; total: number }> {
  const mine = db.selectFrom('audit_log').where('audit_log.workspace_id', 'in', [0, ...workspaceIds]);
  const { total } = await mine.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await mine
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
