import type { EmailKind } from '@affkit/protocol';
import type { EmailData } from '../emails/email-data.ts';
import { queueEmail } from '../emails/queue-emails.ts';
import type { Runtime } from '../runtime.ts';
import { listReviewers } from '../storage/accounts/members.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { MemberRole, NotificationKind } from '../storage/database/schema-accounts.ts';

interface AdvertiserNotice<Kind extends EmailKind> {
  readonly workspaceId: number;
  readonly programId: number;
  readonly kind: NotificationKind;
  /** Identifies the event. Only the first notice with a key is stored. */
  readonly dedupeKey: string;
  readonly payload: object;
  readonly email: {
    readonly kind: Kind;
    readonly data: EmailData[Kind];
    /** The members who get the email. By default, these are the owners and admins. */
    readonly roles?: readonly MemberRole[];
    readonly runAt?: number;
  };
}

/** Stores a notification for the advertiser and queues its emails, in the transaction that stores the event. */
export async function notifyAdvertiser<Kind extends EmailKind>(
  tx: Transaction,
  runtime: Runtime,
  { workspaceId, programId, kind, dedupeKey, payload, email }: AdvertiserNotice<Kind>,
): Promise<void> {
  const isNew = await insertNotification(tx, {
    workspace_id: workspaceId,
    program_id: programId,
    partner_id: null,
    kind,
    dedupe_key: dedupeKey,
    payload: JSON.stringify(payload),
    created_at: runtime.now(),
  });
  if (!isNew || runtime.mail === null) return;
  const { roles, ...queued } = email;
  for (const { userId, email: recipient } of await listReviewers(tx.db, workspaceId, roles)) {
    await queueEmail(tx, runtime, {
      ...queued,
      workspaceId,
      programId,
      recipient,
      dedupeKey: `${dedupeKey}:${userId}`,
    });
  }
}
