import type { Transaction } from './engine/engine.ts';

/** Holds off every other change of the row until the work ends. SQLite has one writer at a time anyway. */
export async function lockRow(
  tx: Transaction,
  table: 'members' | 'partners' | 'programs' | 'users' | 'workspaces',
  id: number,
): Promise<void> {
  if (tx.dialect !== 'postgres') return;
  await tx.db.selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate().execute();
}
