import { isoTime } from '../domain/calendar.ts';
import type { IssuedInvite } from '../management/invites.ts';

/** Returns the additional fields of the reply to a new invitation. No other reply contains the token. */
export function inviteReplyFields(invite: IssuedInvite | null) {
  if (invite === null) return {};
  const { token, expiresAt, isMailed } = invite;
  return {
    invite_token: token,
    invite_expires_at: isoTime(expiresAt),
    ...(isMailed && { invite_delivery: 'email' }),
  };
}
