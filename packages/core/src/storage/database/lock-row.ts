import type { Transaction } from './engine/engine.ts';

/**
 * Locks a row against changes until the transaction ends. SQLite needs no lock, because it has only one
 * writer at a time.
 */
export async function lockRow(
  tx: Transaction,
  table: 'members' | 'partners' | 'programs' | 'users' | 'workspaces',
  id: number,
): Promise<void> {
  if (tx.dialect !== 'postgres') return;
  await tx.db.selectFrom(table).select('id').where('id', '=', id).forNoKeyUpdate().execute();
}
