import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

/** The payout details of a partner, encrypted. */
export type SealedPayoutDetails = Selectable<Schema['payout_details']>;

/** Finds the payout details of partners, by partner id. */
export async function findPayoutDetails(
  db: Kysely<Schema>,
  partnerIds: readonly number[],
): Promise<ReadonlyMap<number, SealedPayoutDetails>> {
  const rows = await db
    .selectFrom('payout_details')
    .selectAll()
    .where('partner_id', 'in', idList(partnerIds))
    .execute();
  return new Map(rows.map((row) => [row.partner_id, row]));
}

/** @returns whether there were payout details */
export async function deletePayoutDetails(tx: Transaction, partnerId: number): Promise<boolean> {
  const deleted = await tx.db
    .deleteFrom('payout_details')
    .where('partner_id', '=', partnerId)
    .returning('partner_id')
    .executeTakeFirst();
  return deleted !== undefined;
}

/** Stores payout details. Earlier details of the partner are replaced. */
export async function savePayoutDetails(tx: Transaction, details: SealedPayoutDetails): Promise<void> {
  const { partner_id: _partner, workspace_id: _workspace, ...change } = details;
  await tx.db
    .insertInto('payout_details')
    .values(details)
    .onConflict((conflict) => conflict.column('partner_id').doUpdateSet(change))
    .execute();
}
