import { hashPassword } from '../access/password.ts';
import {
  type OpenedSession,
  openSession,
  type SignedInSession,
  toSignedInSession,
} from '../access/session.ts';
import { hashToken } from '../domain/token.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Author, Runtime } from '../runtime.ts';
import {
  claimInvite,
  deleteInvites,
  findInvite,
  type Invite,
  type InviteTarget,
} from '../storage/accounts/invites.ts';
import { findMember, linkMember, lockMember } from '../storage/accounts/members.ts';
import { findUserByEmail, insertUserIfNew, type User } from '../storage/accounts/users.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { catchUniqueViolation } from '../storage/database/unique-violation.ts';
import { findPartnerById, linkPartner, lockPartner } from '../storage/programs/partners.ts';
import { recordChange } from './audit.ts';

/** Who accepts an invitation: the signed-in user, or a new user with a password. */
export interface Invitee {
  /** The user of the request's session, or null without a session. */
  readonly user: User | null;
  /** The password of a new user. Ignored when there is a session. */
  readonly password: string | undefined;
  readonly requestId: string;
}

/** The member or partner that an invitation is for, as currently stored. */
interface InvitedSubject {
  readonly email: string;
  readonly name: string;
  readonly subjectId: number;
  readonly kind: 'member' | 'partner';
}

/**
 * Links the invited member or partner to the signed-in user, or to a new user, who is then signed in. A token
 * works once: of several concurrent requests with the same token, only one succeeds.
 *
 * @returns `signedIn` is null when the caller already had a session
 */
export async function acceptInvite(
  runtime: Runtime,
  token: string,
  invitee: Invitee,
): Promise<{ readonly user: User; readonly signedIn: SignedInSession | null } | Rejection> {
  const tokenHash = hashToken(token);
  const invite = await findInvite(runtime.engine.read, tokenHash, runtime.now());
  if (!invite) return new Rejection('invite_invalid');
  const invited = await findInvited(runtime.engine.read, invite);
  if (!invited) return new Rejection('invite_invalid');
  const rejection = await checkInvitee(runtime, invited, invitee);
  if (rejection) return rejection;
  const passwordHash = invitee.user === null ? await hashPassword(invitee.password ?? '') : null;
  const outcome = await transactOrReject(runtime.engine, invite.workspaceId, (tx) =>
    accept(tx, runtime, invite.target, { tokenHash, invitee, passwordHash }),
  );
  if (isRejection(outcome)) return outcome;
  const { user, session } = outcome;
  return { user, signedIn: session && (await toSignedInSession(runtime, session, user)) };
}

/** Runs every check that is possible before the password is hashed, because hashing is slow on purpose. */
async function checkInvitee(
  runtime: Runtime,
  invited: InvitedSubject,
  invitee: Invitee,
): Promise<Rejection | null> {
  if (invitee.user !== null) return invitee.user.email === invited.email ? null : otherEmail();
  if (await findUserByEmail(runtime.engine.read, invited.email)) return signInFirst();
  return invitee.password === undefined ? new Rejection('invalid_field', 'password is required') : null;
}

async function accept(
  tx: Transaction,
  runtime: Runtime,
  target: InviteTarget,
  input: { tokenHash: string; invitee: Invitee; passwordHash: string | null },
): Promise<{ user: User; session: OpenedSession | null } | Rejection> {
  const { invitee, passwordHash } = input;
  const at = runtime.now();
  // Locks the member or partner before the invite. Requests that change it and delete its invites lock in the
  // same order.
  if ('memberId' in target) await lockMember(tx, target.memberId);
  else await lockPartner(tx, target.partnerId);
  const invite = await claimInvite(tx, input.tokenHash, at);
  const invited = invite && (await findInvited(tx.db, invite));
  if (!invite || !invited) return new Rejection('invite_invalid');
  if (invitee.user !== null && invitee.user.email !== invited.email) return otherEmail();
  const { email, name } = invited;
  const userId =
    invitee.user?.id ??
    (await insertUserIfNew(tx, {
      email,
      name,
      passwordHash: passwordHash ?? '',
      at,
    }));
  if (userId === null) return signInFirst();
  const user = { id: userId, email, name: invitee.user?.name ?? name };
  if (!(await linkUser(tx, invite, userId))) {
    return new Rejection('conflict', 'The user is already a member of the workspace');
  }
  await deleteInvites(tx, invite.target);
  const author: Author = { kind: 'user', id: userId, requestId: invitee.requestId };
  await recordChange(tx, runtime, {
    workspaceId: invite.workspaceId,
    action: `${invited.kind}.accept_invite`,
    subjectId: invited.subjectId,
    before: { user_id: null },
    after: { user_id: userId },
    author,
  });
  return { user, session: invitee.user === null ? await openSession(tx, runtime, userId) : null };
}

/** @returns false when the user already is a member of the workspace, or already is linked to the partner */
async function linkUser(tx: Transaction, invite: Invite, userId: number): Promise<boolean> {
  const { target } = invite;
  const linked = await catchUniqueViolation(tx, async () => {
    if ('memberId' in target) await linkMember(tx, target.memberId, userId);
    else await linkPartner(tx, target.partnerId, userId);
  });
  return linked !== 'taken';
}

/** @returns null when the member or partner no longer exists or already has a user */
async function findInvited(db: Transaction['db'], { target }: Invite): Promise<InvitedSubject | null> {
  if ('memberId' in target) {
    const member = await findMember(db, target.memberId);
    return member?.userId === null
      ? { email: member.email, name: member.name, subjectId: member.id, kind: 'member' }
      : null;
  }
  const partner = await findPartnerById(db, target.partnerId);
  return partner?.userId === null
    ? { email: partner.email, name: partner.name, subjectId: partner.id, kind: 'partner' }
    : null;
}

function otherEmail(): Rejection {
  return new Rejection('forbidden', "The invitation is for a different e-mail than the signed-in user's");
}

function signInFirst(): Rejection {
  return new Rejection(
    'conflict',
    'A user with this e-mail already exists. Sign in and accept the invitation in that session.',
  );
}
