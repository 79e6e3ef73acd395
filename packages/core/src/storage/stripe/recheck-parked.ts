import type { Transaction } from '../database/engine/engine.ts';

/**
 * Makes a job check all parked refunds and disputes of a workspace again. Must be called after an import has stored
 * sales, because parked refunds and disputes may belong to these sales.
 */
export async function recheckParked({ db }: Transaction, workspaceId: number, now: number): Promise<void> {
  for (const table of ['processor_charges', 'processor_disputes'] as const) {
    await db
      .updateTable(table)
      .set({ check_at: now })
      .where('workspace_id', '=', workspaceId)
      .where('sale_id', 'is', null)
      .execute();
  }
}
