import { isoDate, utcDay } from '../domain/calendar.ts';
import { notifyAdvertiser } from '../management/notify-advertiser.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { WebhookEndpointRow } from '../storage/webhooks/endpoints.ts';

/** Notifies the advertiser that an endpoint answered with the status 410 and was therefore paused. */
export function notifyEndpointPaused(
  tx: Transaction,
  runtime: Runtime,
  endpoint: WebhookEndpointRow,
): Promise<void> {
  return notify(tx, runtime, endpoint, { kind: 'webhook_paused', failed: null, key: String(runtime.now()) });
}

/**
 * Notifies the advertiser, at most once a day, that deliveries to an endpoint have failed permanently. The
 * number in the notification does not include deliveries that fail later that day.
 */
export function notifyDeadLetters(
  tx: Transaction,
  runtime: Runtime,
  endpoint: WebhookEndpointRow,
  failed: number,
): Promise<void> {
  const key = isoDate(utcDay(runtime.now()));
  return notify(tx, runtime, endpoint, { kind: 'webhook_failed', failed, key });
}

async function notify(
  tx: Transaction,
  runtime: Runtime,
  { id, workspace_id: workspaceId, program_id: programId, url }: WebhookEndpointRow,
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
  await notifyAdvertiser(tx, runtime, {
    workspaceId,
    programId,
    kind,
    dedupeKey: `${kind}:${id}:${key}`,
    payload: { endpointId: id, host: new URL(url).host, ...(failed !== null && { failed }) },
    email: { kind: 'webhook_failing', data: { endpointId: id, failed } },
  });
}
