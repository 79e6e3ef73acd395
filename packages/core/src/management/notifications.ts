import type { Actor } from '../access/actor.ts';
import { checkWorkspacePermission } from '../access/permission.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  findAdvertiserNotification,
  findPartnerNotification,
  markNotificationRead,
  markNotificationsRead,
  type NotificationRow,
} from '../storage/accounts/notifications.ts';

/**
 * Marks a notification as read for the whole workspace of the advertiser. Repeated calls keep the first
 * timestamp.
 */
export async function markAdvertiserNotificationRead(
  runtime: Runtime,
  actor: Actor,
  id: number,
): Promise<NotificationRow | Rejection> {
  const notification = await findAdvertiserNotification(runtime.engine.read, id);
  if (!notification) return new Rejection('not_found');
  const rejection = checkWorkspacePermission(actor, notification.workspace_id, 'notification:write');
  return rejection ?? (await markRead(runtime, notification));
}

/** Marks a notification of one of the user's partners as read. Repeated calls keep the first timestamp. */
export async function markPortalNotificationRead(
  runtime: Runtime,
  partners: readonly { readonly id: number }[],
  id: number,
): Promise<NotificationRow | Rejection> {
  const notification = await findPartnerNotification(runtime.engine.read, id);
  const isOwn = partners.some((partner) => partner.id === notification?.partner_id);
  return notification && isOwn ? await markRead(runtime, notification) : new Rejection('not_found');
}

/** Marks all notifications for the advertisers of the workspaces as read. @returns how many were unread */
export async function markAllAdvertiserNotificationsRead(
  runtime: Runtime,
  workspaceIds: readonly number[],
): Promise<number> {
  return await markAllRead(
    runtime,
    workspaceIds.map((workspaceId) => ({ workspaceId, id: null })),
  );
}

/**
 * Marks all notifications of the readers as read. A reader is a partner, or the advertiser of the workspace if `id` is
 * null.
 * @returns how many were unread
 */
export async function markAllRead(
  runtime: Runtime,
  readers: readonly { readonly workspaceId: number; readonly id: number | null }[],
): Promise<number> {
  const at = runtime.now();
  let marked = 0;
  for (const { workspaceId, id } of readers) {
    marked += await runtime.engine.write(workspaceId, (tx) => markNotificationsRead(tx, workspaceId, id, at));
  }
  return marked;
}

async function markRead(
  runtime: Runtime,
  { id, workspace_id }: NotificationRow,
): Promise<NotificationRow | Rejection> {
  const at = runtime.now();
  const marked = await runtime.engine.write(workspace_id, (tx) => markNotificationRead(tx, id, at));
  return marked ?? new Rejection('not_found');
}
