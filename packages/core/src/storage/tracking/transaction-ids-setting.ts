import { type Kysely, sql } from 'kysely';
import type { TransactionIdScope } from '../../domain/transaction-id.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

const TRANSACTION_IDS_SETTING = 'transaction_ids';

/**
 * Stores the setting `transaction_ids` if it is not stored yet. If several processes do this concurrently, only one
 * succeeds.
 * @returns the stored setting
 */
export async function storeTransactionIdsIfNew(
  tx: Transaction,
  scope: TransactionIdScope,
): Promise<TransactionIdScope> {
  await tx.db
    .insertInto('service_settings')
    .values({ name: TRANSACTION_IDS_SETTING, value: scope })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value } = await tx.db
    .selectFrom('service_settings')
    .select('value')
    .where('name', '=', TRANSACTION_IDS_SETTING)
    .executeTakeFirstOrThrow();
  return value;
}

export async function storeTransactionIds(tx: Transaction, scope: TransactionIdScope): Promise<void> {
  await tx.db
    .insertInto('service_settings')
    .values({ name: TRANSACTION_IDS_SETTING, value: scope })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: scope }))
    .execute();
}

/** Finds the setting that says where transaction ids must be unique. It is stored when a server starts. */
export async function findTransactionIdScope(db: Kysely<Schema>): Promise<TransactionIdScope> {
  const row = await db
    .selectFrom('service_settings')
    .select('value')
    .where('name', '=', TRANSACTION_IDS_SETTING)
    .executeTakeFirst();
  return row?.value ?? 'service';
}

/** Counts the transaction ids that occur in sales of several workspaces. */
export async function countSharedTransactionIds(db: Kysely<Schema>): Promise<number> {
  const shared = db
    .selectFrom('sales')
    .select('processor_event_id')
    .where('is_test', '=', 0)
    .groupBy('processor_event_id')
    .having(sql<number>`COUNT(*)`, '>', 1);
  const { total } = await db
    .selectFrom(shared.as('shared'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}
