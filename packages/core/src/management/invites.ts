import { INVITE_TOKEN_PREFIX } from '@affkit/protocol';
import { DAY_MS, isoTime } from '../domain/calendar.ts';
import { hashToken, makeToken } from '../domain/token.ts';
import type { Runtime } from '../runtime.ts';
import { hasInvite, type InviteTarget, insertInvite } from '../storage/accounts/invites.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { recordChange } from './audit.ts';

const INVITE_MS = 7 * DAY_MS;

/** A new invitation. */
export interface IssuedInvite {
  /** The full token. It is returned only here, because only its hash is stored. */
  readonly token: string;
  readonly expiresAt: number;
}

/**
 * Creates an invitation unless a valid invitation exists.
 *
 * @returns null when a valid invitation exists, because its token cannot be shown a second time
 */
export async function inviteUnlessInvited(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  target: InviteTarget,
): Promise<IssuedInvite | null> {
  const at = runtime.now();
  if (await hasInvite(tx.db, target, at)) return null;
  const token = makeToken(INVITE_TOKEN_PREFIX, runtime.randomBytes);
  const expiresAt = at + INVITE_MS;
  await insertInvite(tx, { workspaceId, target, tokenHash: hashToken(token), expiresAt, at });
  return { token, expiresAt };
}

/**
 * Writes to the audit log that an existing member or partner got a new invitation. The token is never logged.
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
