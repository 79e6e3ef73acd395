import { isoTime } from '../domain/calendar.ts';
import type { IssuedInvite } from '../management/invites.ts';

/** The invitation in the reply that creates it. No other reply contains the token. */
export function inviteReplyFields(invite: IssuedInvite | null) {
  return invite === null ? {} : { invite_token: invite.token, invite_expires_at: isoTime(invite.expiresAt) };
}
