import { isoTime } from '../domain/calendar.ts';
import type { IssuedInvite } from '../management/invites.ts';

/** What the answer says of an invitation that it alone carries. */
export function inviteFields(invite: IssuedInvite | null) {
  return invite === null ? {} : { invite_token: invite.token, invite_expires_at: isoTime(invite.expiresAt) };
}
