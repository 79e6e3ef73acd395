import { hashToken } from '../domain/token.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findInvite, type Invite } from '../storage/accounts/invites.ts';
import { findMember } from '../storage/accounts/members.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { MemberRole } from '../storage/database/schema-accounts.ts';
import { findPartnerById } from '../storage/programs/partners.ts';

/** The member or partner who is invited. */
export interface InvitedSubject {
  readonly email: string;
  readonly name: string;
  readonly subjectId: number;
  readonly kind: 'member' | 'partner';
  /** Null for a partner. */
  readonly role: MemberRole | null;
}

/** An invitation that can be accepted. */
interface OpenInvite {
  readonly invite: Invite;
  readonly invited: InvitedSubject;
}

/** @returns null when the member or partner no longer exists or already has a user */
export async function findInvited(db: Transaction['db'], { target }: Invite): Promise<InvitedSubject | null> {
  if ('memberId' in target) {
    const member = await findMember(db, target.memberId);
    if (member?.userId !== null) return null;
    const { id, email, name, role } = member;
    return { email, name, subjectId: id, kind: 'member', role };
  }
  const partner = await findPartnerById(db, target.partnerId);
  if (partner?.userId !== null) return null;
  const { id, email, name } = partner;
  return { email, name, subjectId: id, kind: 'partner', role: null };
}

/**
 * Finds the invitation with the token.
 * @returns `invite_invalid` when the invitation does not exist or has expired, or when `findInvited` returns null
 */
export async function findOpenInvite(
  { engine, now }: Pick<Runtime, 'engine' | 'now'>,
  token: string,
): Promise<OpenInvite | Rejection> {
  const invite = await findInvite(engine.read, hashToken(token), now());
  const invited = invite && (await findInvited(engine.read, invite));
  return invite && invited ? { invite, invited } : new Rejection('invite_invalid');
}
