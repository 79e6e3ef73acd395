import { deleteInvitesOfLimitedKeys } from '../access/limited-key-invites.ts';
import { queuePartnerEmail, queueReviewTasks } from '../emails/queue-emails.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { Partner } from '../storage/programs/partners.ts';
import { partnerEvent } from '../webhooks/event-payloads.ts';
import { loadPublisher, publishEvents } from '../webhooks/publish-events.ts';
import { type IssuedInvite, issueInvite } from './invites.ts';

export type ApplicationEvent =
  | {
      readonly kind: 'received';
      /**
       * The next step: the advertiser decides (`review`), the applicant confirms the email address, or
       * nothing.
       */
      readonly next: 'review' | 'confirmation' | 'nothing';
    }
  | {
      readonly kind: 'approved';
      readonly reason: string | null;
      /** Whether nobody has verified that the email address belongs to the applicant. */
      readonly isUnverified?: boolean;
    }
  | { readonly kind: 'rejected'; readonly reason: string | null };

/**
 * Creates the notification, the emails, and the webhook for a change of an application, in the transaction
 * that stores the change. Call it for every application that is received, approved, or rejected. The
 * advertiser is notified of a new application, and the partner of a decision.
 *
 * @returns the invitation of an approved partner who has no account, otherwise null. Earlier invitations
 * remain valid, unless `deleteInvitesOfLimitedKeys` deletes them
 */
export async function announceApplication(
  tx: Transaction,
  runtime: Runtime,
  programId: number,
  partner: Partner,
  event: ApplicationEvent,
): Promise<IssuedInvite | null> {
  const at = runtime.now();
  const key = `application:${programId}:${partner.id}:${event.kind}:${at}`;
  const details =
    event.kind === 'received'
      ? { partnerId: partner.id, partnerName: partner.name }
      : { reason: event.reason };
  await insertNotification(tx, {
    workspace_id: partner.workspaceId,
    program_id: programId,
    partner_id: event.kind === 'received' ? null : partner.id,
    kind: `application_${event.kind}`,
    dedupe_key: key,
    payload: JSON.stringify(details),
    created_at: at,
  });
  await publishPartner(tx, programId, partner, event, at);
  return await sendEmails(tx, runtime, { programId, key }, partner, event);
}

/** Publishes the event that a partner has applied, or was approved or rejected. */
export async function publishPartner(
  tx: Transaction,
  programId: number,
  partner: Pick<Partner, 'id' | 'name' | 'email'>,
  event: Pick<ApplicationEvent, 'kind'> & { readonly reason?: string | null },
  at: number,
): Promise<void> {
  const program = await loadPublisher(tx, programId);
  const type = event.kind === 'received' ? 'partner.applied' : (`partner.${event.kind}` as const);
  await publishEvents(
    tx,
    [{ program, event: partnerEvent(type, programId, partner, event.reason ?? null) }],
    at,
  );
}

async function sendEmails(
  tx: Transaction,
  runtime: Runtime,
  where: { readonly programId: number; readonly key: string },
  partner: Partner,
  event: ApplicationEvent,
): Promise<IssuedInvite | null> {
  const { programId } = where;
  const { id: partnerId, workspaceId } = partner;
  const email = { programId, dedupeKey: where.key };
  if (event.kind === 'received') {
    const kind = event.next === 'confirmation' ? 'address_confirmation' : 'application_received';
    if (event.next === 'nothing') return null;
    await queuePartnerEmail(tx, runtime, partner, { ...email, kind, data: { partnerId } });
    if (event.next === 'review') await queueReviewTasks(tx, runtime, { workspaceId, programId });
    return null;
  }
  if (event.kind === 'rejected') {
    const emailData = { partnerId, reason: event.reason };
    await queuePartnerEmail(tx, runtime, partner, {
      ...email,
      kind: 'application_rejected',
      data: emailData,
    });
    return null;
  }
  await deleteInvitesOfLimitedKeys(tx, runtime, partner, programId);
  const invite =
    partner.userId === null ? await issueInvite(tx, runtime, { workspaceId, target: { partnerId } }) : null;
  await queuePartnerEmail(tx, runtime, partner, {
    ...email,
    kind: 'application_approved',
    data: { partnerId, isUnverified: event.isUnverified ?? false },
    ...(invite && { token: invite.token, expiresAt: invite.expiresAt }),
  });
  return invite;
}
