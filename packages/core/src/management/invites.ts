import { INVITE_TOKEN_PREFIX } from '@affkit/protocol';
import { makeMessageKey, sealEmailToken } from '../access/email-token.ts';
import { DAY_MS, isoTime } from '../domain/calendar.ts';
import { hashToken, makeToken } from '../domain/token.ts';
import type { Runtime } from '../runtime.ts';
import { insertEmail } from '../storage/accounts/emails.ts';
import { hasInvite, type InviteTarget, insertInvite } from '../storage/accounts/invites.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { recordChange } from './audit.ts';

const INVITE_MS = 7 * DAY_MS;

/** A new invitation. */
export interface IssuedInvite {
  /** The full token. This is the only time that it is returned, because only its hash is stored. */
  readonly token: string;
  readonly expiresAt: number;
  /** Whether the service also sends the link by email. */
  readonly isMailed: boolean;
}

/** A person who is invited. */
export interface Invitation {
  readonly workspaceId: number;
  /** The program that a partner is invited to. */
  readonly programId?: number;
  readonly target: InviteTarget;
  readonly email: string;
}

/**
 * Creates an invitation and, if the service sends email, the email with its link. If a valid invitation
 * exists already, it does nothing.
 *
 * @returns null when a valid invitation exists, because its token cannot be shown again
 */
export async function inviteUnlessInvited(
  tx: Transaction,
  runtime: Runtime,
  { workspaceId, programId, target, email }: Invitation,
): Promise<IssuedInvite | null> {
  const at = runtime.now();
  if (await hasInvite(tx.db, target, at)) return null;
  const token = makeToken(INVITE_TOKEN_PREFIX, runtime.randomBytes);
  const expiresAt = at + INVITE_MS;
  await insertInvite(tx, { workspaceId, target, tokenHash: hashToken(token), expiresAt, at });
  if (runtime.mail === null) return { token, expiresAt, isMailed: false };
  const messageKey = makeMessageKey(runtime);
  await insertEmail(tx, {
    messageKey,
    kind: 'memberId' in target ? 'member_invitation' : 'partner_invitation',
    workspaceId,
    programId: programId ?? null,
    recipient: email,
    sealedToken: sealEmailToken(runtime, messageKey, token),
    expiresAt,
    at,
  });
  return { token, expiresAt, isMailed: true };
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
  const { target, ...where } = to;
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
