import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

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

interface Range {
  readonly offset: number;
  readonly limit: number;
}

/** A page of notifications, newest first. */
interface NotificationPage {
  readonly notifications: NotificationRow[];
  readonly total: number;
}

/** What concerns the advertisers of those workspaces. */
export function listAdvertiserNotifications(
  db: Kysely<Schema>,
  workspaceIds: readonly number[],
  page: Range,
): Promise<NotificationPage> {
  return listPage(ofAdvertisers(db).where('workspace_id', 'in', idList(workspaceIds)), page);
}

/** What concerns those partners. */
export function listPartnerNotifications(
  db: Kysely<Schema>,
  partners: readonly { readonly id: number; readonly workspaceId: number }[],
  page: Range,
): Promise<NotificationPage> {
  // The workspaces are there for the index.
  const mine = db
    .selectFrom('notifications')
    .where('workspace_id', 'in', idList(partners.map(({ workspaceId }) => workspaceId)))
    .where('partner_id', 'in', idList(partners.map(({ id }) => id)));
  return listPage(mine, page);
}

async function listPage(mine: ReturnType<typeof ofAdvertisers>, page: Range): Promise<NotificationPage> {
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

/** The notification of that id, whoever's it is but the advertiser's: the caller checks whether it may be seen. */
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
  return (
    (await tx.db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
  );
}

function ofAdvertisers(db: Kysely<Schema>) {
  return db.selectFrom('notifications').where('partner_id', 'is', null);
}
