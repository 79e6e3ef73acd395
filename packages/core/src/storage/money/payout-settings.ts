import type { Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

export type PayoutSettings = Selectable<Schema['payout_settings']>;

/** Finds the payout settings of a program. If there are none, the program has no minimum and no schedule. */
export async function findPayoutSettings(db: Kysely<Schema>, programId: number): Promise<PayoutSettings> {
  const row = await db
    .selectFrom('payout_settings')
    .selectAll()
    .where('program_id', '=', programId)
    .executeTakeFirst();
  const none = { min_payout_cents: null, schedule_day: null, scheduled_at: null, sealed_debtor: null };
  return row ?? { program_id: programId, ...none };
}

export async function savePayoutSettings(tx: Transaction, settings: PayoutSettings): Promise<void> {
  const { program_id: _, ...change } = settings;
  await tx.db
    .insertInto('payout_settings')
    .values(settings)
    .onConflict((conflict) => conflict.column('program_id').doUpdateSet(change))
    .execute();
}

/**
 * Loads the minimum payouts of the partners who have their own minimum, by partner id. Partners without one have the
 * program's minimum.
 */
export async function findPartnerMinimums(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[] | null,
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('partner_programs')
    .select(['partner_id', 'min_payout_cents'])
    .where('program_id', '=', programId)
    .where('min_payout_cents', 'is not', null)
    .$if(partnerIds !== null, (query) => query.where('partner_id', 'in', idList(partnerIds ?? [])))
    .execute();
  return new Map(rows.map((row) => [row.partner_id, row.min_payout_cents ?? 0]));
}
