import { isoDate, utcDay } from '../domain/calendar.ts';
import { queueEmail } from '../emails/queue-emails.ts';
import type { Runtime } from '../runtime.ts';
import { listReviewers } from '../storage/accounts/members.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { WebhookEndpoint } from '../storage/webhooks/endpoints.ts';

/** Notifies the advertiser that an endpoint was paused, because it answered with 410. */
export function notifyGone(tx: Transaction, runtime: Runtime, endpoint: WebhookEndpoint): Promise<void> {
  return notify(tx, runtime, endpoint, { kind: 'webhook_paused', failed: null, key: String(runtime.now()) });
}

/**
 * Notifies the advertiser that deliveries to an endpoint were given up, at most once a day. The notification
 * has the number of the first ones.
 */
export function notifyDeadLetters(
  tx: Transaction,
  runtime: Runtime,
  endpoint: WebhookEndpoint,
  failed: number,
): Promise<void> {
  const key = isoDate(utcDay(runtime.now()));
  return notify(tx, runtime, endpoint, { kind: 'webhook_failed', failed, key });
}

async function notify(
  tx: Transaction,
  runtime: Runtime,
  { id, workspace_id: workspaceId, program_id: programId, url }: WebhookEndpoint,
  {
    kind,
    failed,
    key,
  }: {
    readonly kind: 'webhook_paused' | 'webhook_failed';
    readonly failed: number | null;
    readonly key: string;
  },
): Promise<void> {
  const dedupeKey = `${kind}:${id}:${key}`;
  await insertNotification(tx, {
    workspace_id: workspaceId,
    program_id: programId,
    partner_id: null,
    kind,
    dedupe_key: dedupeKey,
    payload: JSON.stringify({ endpointId: id, host: new URL(url).host, ...(failed !== null && { failed }) }),
    created_at: runtime.now(),
  });
  if (runtime.mail === null) return;
  for (const { userId, email } of await listReviewers(tx.db, workspaceId)) {
    await queueEmail(tx, runtime, {
      kind: 'webhook_failing',
      workspaceId,
      programId,
      recipient: email,
      data: { endpointId: id, failed },
      dedupeKey: `${dedupeKey}:${userId}`,
    });
  }
}
