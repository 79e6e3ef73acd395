import type { Insertable } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';

/** Shows a notification; a repeat of the same is ignored. */
export async function insertNotification(
  tx: Transaction,
  notification: Insertable<Schema['notifications']>,
): Promise<void> {
  await tx.db
    .insertInto('notifications')
    .values(notification)
    .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
    .execute();
}
