import { isoTime } from '../domain/calendar.ts';
import type { IssuedInvite } from '../management/invites.ts';

/** The invitation in the reply that creates it. No other reply contains the token. */
export function inviteReplyFields(invite: IssuedInvite | null) {
  if (invite === null) return {};
  const { token, expiresAt, delivery } = invite;
  return { invite_token: token, invite_expires_at: isoTime(expiresAt), invite_delivery: delivery };
}
