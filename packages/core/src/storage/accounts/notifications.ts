import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

export type NotificationRow = Selectable<Schema['notifications']>;

/**
 * Stores a notification. If a notification with the same `dedupe_key` exists, nothing is stored.
 * @returns whether the notification was stored
 */
export async function insertNotification(
  tx: Transaction,
  notification: Insertable<Schema['notifications']>,
): Promise<boolean> {
  const inserted = await tx.db
    .insertInto('notifications')
    .values(notification)
    .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

interface NotificationRange {
  readonly offset: number;
  readonly limit: number;
  readonly onlyUnread: boolean;
}

/** A page of notifications, newest first. */
interface NotificationPage {
  readonly notifications: NotificationRow[];
  readonly total: number;
  /** The number of unread notifications on all pages. */
  readonly unread: number;
}

export function listAdvertiserNotifications(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  page: NotificationRange,
): Promise<NotificationPage> {
  return listPage(advertiserNotifications(db).where('workspace_id', 'in', idList(workspaceIds)), page);
}

export function listPartnerNotifications(
  db: Kysely<Schema>,
  partners: readonly { readonly id: number; readonly workspaceId: number }[],
  page: NotificationRange,
): Promise<NotificationPage> {
  // Filter by workspace too, because the index begins with that column.
  const selected = db
    .selectFrom('notifications')
    .where('workspace_id', 'in', idList(partners.map(({ workspaceId }) => workspaceId)))
    .where('partner_id', 'in', idList(partners.map(({ id }) => id)));
  return listPage(selected, page);
}

async function listPage(
  selected: ReturnType<typeof advertiserNotifications>,
  page: NotificationRange,
): Promise<NotificationPage> {
  const countOf = (of: typeof selected) =>
    of.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const onlyUnread = selected.where('read_at', 'is', null);
  const { total: unread } = await countOf(onlyUnread);
  const listed = page.onlyUnread ? onlyUnread : selected;
  const total = page.onlyUnread ? unread : (await countOf(selected)).total;
  const notifications = await listed
    .selectAll()
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { notifications, total, unread };
}

/** Marks the notifications of a partner as read. If `partnerId` is null, marks those of the advertiser. */
export async function markNotificationsRead(
  tx: Transaction,
  workspaceId: number,
  partnerId: number | null,
  at: number,
): Promise<number> {
  const { numUpdatedRows } = await tx.db
    .updateTable('notifications')
    .set({ read_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('partner_id', partnerId === null ? 'is' : '=', partnerId)
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Finds an advertiser's notification of any workspace. The caller must check access to that workspace. */
export async function findAdvertiserNotification(
  db: Kysely<Schema>,
  id: number,
): Promise<NotificationRow | null> {
  return (await advertiserNotifications(db).selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Finds a notification of any partner. The caller must check that the user is linked to that partner. */
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

/** Records the time when the notification was first read. @returns the notification after the change */
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
