import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { Partner } from '../storage/programs/partners.ts';

/** An event in the life of an application. */
export type ApplicationEvent =
  | { readonly kind: 'received' }
  | { readonly kind: 'approved' | 'rejected'; readonly reason: string | null };

/**
 * Creates the notification for an event of an application, in the transaction that stores the event. Call it
 * for every application that is received, approved or rejected. The advertiser is notified of a new
 * application, the partner of the decision.
 */
export async function announceApplication(
  tx: Transaction,
  runtime: Runtime,
  programId: number,
  partner: Partner,
  event: ApplicationEvent,
): Promise<void> {
  const at = runtime.now();
  const details =
    event.kind === 'received'
      ? { partnerId: partner.id, partnerName: partner.name }
      : { reason: event.reason };
  await insertNotification(tx, {
    workspace_id: partner.workspaceId,
    program_id: programId,
    partner_id: event.kind === 'received' ? null : partner.id,
    kind: `application_${event.kind}`,
    dedupe_key: `application:${programId}:${partner.id}:${event.kind}:${at}`,
    payload: JSON.stringify(details),
    created_at: at,
  });
}
