import type { Insertable, Selectable } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';

export type AdjustmentRow = Selectable<Schema['adjustments']>;

/** The correction of the commission that was booked under that key, or null. */
export async function findAdjustment(
  tx: Transaction,
  programId: number,
  commissionId: number,
  idempotencyKey: string,
): Promise<AdjustmentRow | null> {
  const row = await tx.db
    .selectFrom('adjustments')
    .selectAll()
    .where('program_id', '=', programId)
    .where('commission_id', '=', commissionId)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
  return row ?? null;
}

/** Adds a correction of a commission that the caller has locked. @returns its id */
export async function insertAdjustment(
  tx: Transaction,
  adjustment: Insertable<Schema['adjustments']>,
): Promise<number> {
  const { id } = await tx.db
    .insertInto('adjustments')
    .values(adjustment)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
