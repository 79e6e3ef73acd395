import { INVITE_TOKEN_PREFIX } from '@affkit/protocol';
import { INVITE_MS } from '../access/limited-key-invites.ts';
import { HOUR_MS, isoTime } from '../domain/calendar.ts';
import { hashToken, makeToken } from '../domain/token.ts';
import { queueEmail } from '../emails/queue-emails.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { countEmails } from '../storage/accounts/emails.ts';
import { deleteInvites, hasInvite, type InviteTarget, insertInvite } from '../storage/accounts/invites.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { recordChange } from './audit.ts';

/** No further invitation is created if the workspace has sent this many to the address within an hour. */
const MAX_INVITES_PER_HOUR = 5;

export interface IssuedInvite {
  /** The full token. It is never returned again, because only its hash is stored. */
  readonly token: string;
  readonly expiresAt: number;
  /** Whether the service also sends the link by email. */
  readonly isMailed: boolean;
}

export interface Invitation {
  readonly workspaceId: number;
  /** The program that a partner is invited to. */
  readonly programId?: number;
  readonly target: InviteTarget;
  readonly email: string;
}

/**
 * Creates an invitation and, if the service sends email, the email with its link. Does nothing if a valid
 * invitation exists already.
 *
 * @returns null when a valid invitation exists, because its token cannot be shown again; `rate_limited` after too
 * many invitations to the address
 */
export async function inviteUnlessInvited(
  tx: Transaction,
  runtime: Runtime,
  invitation: Invitation,
): Promise<IssuedInvite | Rejection | null> {
  if (await hasInvite(tx.db, invitation.target, runtime.now())) return null;
  return await inviteByEmail(tx, runtime, invitation);
}

/**
 * Creates an additional invitation and, if the service sends email, the email with its link.
 * @returns `rate_limited` after too many invitations to the address, so that nobody can fill another person's
 * mailbox
 */
async function inviteByEmail(
  tx: Transaction,
  runtime: Runtime,
  { workspaceId, programId, target, email: recipient }: Invitation,
): Promise<IssuedInvite | Rejection> {
  const sent = await countEmails(tx.db, {
    recipient,
    // Count only this workspace's invitations. Otherwise, the limit would reveal that other workspaces have
    // invited the person.
    workspaceId,
    kinds: ['member_invitation', 'partner_invitation'],
    since: runtime.now() - HOUR_MS,
  });
  if (sent >= MAX_INVITES_PER_HOUR) {
    return new Rejection('rate_limited', undefined, { retryAfterSeconds: HOUR_MS / 1_000 });
  }
  const invite = await issueInvite(tx, runtime, { workspaceId, target });
  const { token, expiresAt } = invite;
  const link = { workspaceId, programId: programId ?? null, recipient, token, expiresAt };
  if ('memberId' in target) {
    await queueEmail(tx, runtime, { ...link, kind: 'member_invitation', data: target });
  } else {
    await queueEmail(tx, runtime, { ...link, kind: 'partner_invitation', data: target });
  }
  return invite;
}

/**
 * Replaces all invitations of a member or partner with a new invitation. If the result is a rejection, the caller
 * must roll back.
 * @returns `rate_limited` after too many invitations to the address
 */
export async function inviteAgain(
  tx: Transaction,
  runtime: Runtime,
  invitation: Invitation,
): Promise<IssuedInvite | Rejection> {
  await deleteInvites(tx, invitation.target);
  const invite = await inviteByEmail(tx, runtime, invitation);
  if (!isRejection(invite)) await recordInvite(tx, runtime, invitation, invite);
  return invite;
}

/** Creates an invitation. The caller must send its token. */
export async function issueInvite(
  tx: Transaction,
  runtime: Runtime,
  { workspaceId, target }: Pick<Invitation, 'workspaceId' | 'target'>,
): Promise<IssuedInvite> {
  const at = runtime.now();
  const token = makeToken(INVITE_TOKEN_PREFIX, runtime.randomBytes);
  const expiresAt = at + INVITE_MS;
  await insertInvite(tx, { workspaceId, target, tokenHash: hashToken(token), expiresAt, at });
  return { token, expiresAt, isMailed: runtime.mail !== null };
}

/**
 * Records in the audit log that an existing member or partner got a new invitation. The token is never
 * logged.
 */
export function recordInvite(
  tx: Transaction,
  runtime: Runtime,
  to: { readonly workspaceId: number; readonly programId?: number; readonly target: InviteTarget },
  invite: IssuedInvite,
): Promise<void> {
  const { target, workspaceId, programId } = to;
  const where = { workspaceId, ...(programId !== undefined && { programId }) };
  const [kind, subjectId] =
    'memberId' in target ? (['member', target.memberId] as const) : (['partner', target.partnerId] as const);
  return recordChange(tx, runtime, {
    ...where,
    action: `${kind}.invite`,
    subjectId,
    before: null,
    after: { invite_expires_at: isoTime(invite.expiresAt) },
  });
}
