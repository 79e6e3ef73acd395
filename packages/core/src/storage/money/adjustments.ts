import type { Insertable, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

export type AdjustmentRow = Selectable<Schema['adjustments']>;

export async function findAdjustment(
  tx: Transaction,
  commission: { readonly program_id: number; readonly id: number },
  idempotencyKey: string,
): Promise<AdjustmentRow | null> {
  const row = await tx.db
    .selectFrom('adjustments')
    .selectAll()
    .where('program_id', '=', commission.program_id)
    .where('commission_id', '=', commission.id)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Stores an adjustment.
 * @throws a unique violation when the commission already has an adjustment with the same idempotency key
 */
export async function insertAdjustment(
  tx: Transaction,
  adjustment: Insertable<Schema['adjustments']>,
): Promise<AdjustmentRow> {
  return await tx.db.insertInto('adjustments').values(adjustment).returningAll().executeTakeFirstOrThrow();
}
