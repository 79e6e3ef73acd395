import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { Schema } from './schema.ts';

export type NotificationRow = Selectable<Schema['notifications']>;

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

/** What concerns the advertisers of those workspaces, newest first. */
export async function listAdvertiserNotifications(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  page: { readonly offset: number; readonly limit: number },
): Promise<{ notifications: NotificationRow[]; total: number }> {
  const mine = ofAdvertisers(db).where('workspace_id', 'in', [0, ...workspaceIds]);
  const { total } = await mine.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const notifications = await mine
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { notifications, total };
}

/** The advertiser's notification of that id, whatever its workspace: the caller checks whether it may be seen. */
export async function findAdvertiserNotification(
  db: Kysely<Schema>,
  id: number,
): Promise<NotificationRow | null> {
  return (await ofAdvertisers(db).selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Notes when it was first read. @returns it as it then is */
export async function markNotificationRead(
  tx: Transaction,
  id: number,
  at: number,
): Promise<NotificationRow | null> {
  await tx.db
    .updateTable('notifications')
    .set({ read_at: at })
    .where('id', '=', id)
    .where('read_at', 'is', null)
    .execute();
  return findAdvertiserNotification(tx.db, id);
}

function ofAdvertisers(db: Kysely<Schema>) {
  return db.selectFrom('notifications').where('partner_id', 'is', null);
}
