import type { EmailKind } from '@affkit/protocol';
import { makeMessageKey, sealEmailToken } from '../access/email-token.ts';
import { DAY_MS, HOUR_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { insertEmail } from '../storage/accounts/emails.ts';
import { listReviewers } from '../storage/accounts/members.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { Partner } from '../storage/programs/partners.ts';
import type { EmailData } from './email-data.ts';

const EXPIRY_MS = 7 * DAY_MS;

interface EventEmail<Kind extends EmailKind> {
  readonly kind: Kind;
  readonly workspaceId: number;
  readonly programId: number | null;
  readonly recipient: string;
  readonly data: EmailData[Kind];
  /** Identifies the event, so that its email is stored only once. */
  readonly dedupeKey?: string;
  /** The token of a link in the email. */
  readonly token?: string;
  readonly expiresAt?: number;
  readonly runAt?: number;
}

/**
 * Stores an email about an event, in the transaction of the event. Does nothing if the service
 * sends no email.
 * @returns the id of the email, or null if an email about the event is already stored
 */
export async function queueEmail<Kind extends EmailKind>(
  tx: Transaction,
  runtime: Runtime,
  { kind, recipient, workspaceId, programId, data, token, ...email }: EventEmail<Kind>,
): Promise<number | null> {
  if (runtime.mail === null) return null;
  const at = runtime.now();
  const messageKey = makeMessageKey(runtime);
  return await insertEmail(tx, {
    ...email,
    kind,
    recipient,
    workspaceId,
    programId,
    messageKey,
    sealedToken: token === undefined ? null : sealEmailToken(runtime, messageKey, token),
    expiresAt: email.expiresAt ?? (email.runAt ?? at) + EXPIRY_MS,
    at,
    ...(data !== null && { data: JSON.stringify(data) }),
  });
}

export async function queuePartnerEmail<Kind extends EmailKind>(
  tx: Transaction,
  runtime: Runtime,
  { workspaceId, email }: Pick<Partner, 'workspaceId' | 'email'>,
  event: Omit<EventEmail<Kind>, 'workspaceId' | 'recipient'>,
): Promise<void> {
  await queueEmail(tx, runtime, { ...event, workspaceId, recipient: email });
}

/**
 * Stores emails for the members who may decide about an application. The emails say that applications are
 * waiting. A member gets at most one such email per program and hour. The email contains the number of
 * applications. If the email of this hour is already stored, the next email is scheduled for the next hour.
 */
export async function queueReviewTasks(
  tx: Transaction,
  runtime: Runtime,
  { workspaceId, programId }: { readonly workspaceId: number; readonly programId: number },
): Promise<void> {
  if (runtime.mail === null) return;
  const hour = Math.floor(runtime.now() / HOUR_MS);
  for (const { userId, email } of await listReviewers(tx.db, workspaceId)) {
    const ofHour = (number: number) =>
      ({
        kind: 'review_task',
        workspaceId,
        programId,
        recipient: email,
        data: null,
        dedupeKey: `review_task:${programId}:${userId}:${number}`,
      }) as const;
    if (await queueEmail(tx, runtime, ofHour(hour))) continue;
    await queueEmail(tx, runtime, { ...ofHour(hour + 1), runAt: (hour + 1) * HOUR_MS });
  }
}
