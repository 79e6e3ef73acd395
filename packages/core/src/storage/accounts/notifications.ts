import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

export type NotificationRow = Selectable<Schema['notifications']>;

/** Stores a notification. A second one with the same `dedupe_key` is ignored. */
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

interface Range {
  readonly offset: number;
  readonly limit: number;
}

/** A page of notifications, newest first. */
interface NotificationPage {
  readonly notifications: NotificationRow[];
  readonly total: number;
}

/** Lists the notifications for the advertisers of the workspaces. */
export function listAdvertiserNotifications(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  page: Range,
): Promise<NotificationPage> {
  return listPage(advertiserNotifications(db).where('workspace_id', 'in', idList(workspaceIds)), page);
}

/** Lists the notifications for the partners. */
export function listPartnerNotifications(
  db: Kysely<Schema>,
  partners: readonly { readonly id: number; readonly workspaceId: number }[],
  page: Range,
): Promise<NotificationPage> {
  // The condition on the workspaces makes the query use the index.
  const selected = db
    .selectFrom('notifications')
    .where('workspace_id', 'in', idList(partners.map(({ workspaceId }) => workspaceId)))
    .where('partner_id', 'in', idList(partners.map(({ id }) => id)));
  return listPage(selected, page);
}

async function listPage(
  selected: ReturnType<typeof advertiserNotifications>,
  page: Range,
): Promise<NotificationPage> {
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const notifications = await selected
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { notifications, total };
}

/** Finds an advertiser's notification of any workspace; the caller must check access to that workspace. */
export async function findAdvertiserNotification(
  db: Kysely<Schema>,
  id: number,
): Promise<NotificationRow | null> {
  return (await advertiserNotifications(db).selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Finds a notification for any partner; the caller must check that it is the caller's own. */
export async function findPartnerNotification(
  db: Kysely<Schema>,
  id: number,
): Promise<NotificationRow | null> {
  const row = await db
    .selectFrom('notifications')
    .selectAll()
    .where('id', '=', id)
    .where('partner_id', 'is not', null)
    .executeTakeFirst();
  return row ?? null;
}

/** Records when the notification was first read. @returns the notification after the change */
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
  return (
    (await tx.db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
  );
}

function advertiserNotifications(db: Kysely<Schema>) {
  return db.selectFrom('notifications').where('partner_id', 'is', null);
}
