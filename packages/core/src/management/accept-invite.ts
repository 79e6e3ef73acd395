import { hashPassword } from '../access/password.ts';
import { type OpenedSession, openSession, type SignedIn, toSignedIn } from '../access/session.ts';
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

/** Who takes an invitation: the user who is signed in, or someone new with a password. */
export interface InviteTaker {
  readonly user: User | null;
  readonly password: string | undefined;
  readonly requestId: string;
}

/** Whom an invitation is for, as its row says now. */
interface Invited {
  readonly email: string;
  readonly name: string;
  readonly subjectId: number;
  readonly kind: 'member' | 'partner';
}

/**
 * Makes the invited e-mail's user a member, or ties it to its partner; a new user is signed in at once. The token
 * counts once: of several who send it at once, one is let in.
 */
export async function acceptInvite(
  runtime: Runtime,
  token: string,
  taker: InviteTaker,
): Promise<{ readonly user: User; readonly signedIn: SignedIn | null } | Rejection> {
  const tokenHash = hashToken(token);
  const invite = await findInvite(runtime.engine.read, tokenHash, runtime.now());
  if (!invite) return new Rejection('invite_invalid');
  const invited = await findInvited(runtime.engine.read, invite);
  if (!invited) return new Rejection('invite_invalid');
  const fault = await checkTaker(runtime, invited, taker);
  if (fault) return fault;
  const passwordHash = taker.user === null ? await hashPassword(taker.password ?? '') : null;
  const outcome = await transactOrReject(runtime.engine, invite.workspaceId, (tx) =>
    take(tx, runtime, invite.target, { tokenHash, taker, passwordHash }),
  );
  if (isRejection(outcome)) return outcome;
  const { user, session } = outcome;
  return { user, signedIn: session && (await toSignedIn(runtime, session, user)) };
}

/** Faults that cost a password's hashing to find later. */
async function checkTaker(runtime: Runtime, invited: Invited, taker: InviteTaker): Promise<Rejection | null> {
  if (taker.user !== null) return taker.user.email === invited.email ? null : otherEmail();
  if (await findUserByEmail(runtime.engine.read, invited.email)) return signInFirst();
  return taker.password === undefined ? new Rejection('invalid_field', 'password is required') : null;
}

async function take(
  tx: Transaction,
  runtime: Runtime,
  target: InviteTarget,
  offer: { tokenHash: string; taker: InviteTaker; passwordHash: string | null },
): Promise<{ user: User; session: OpenedSession | null } | Rejection> {
  const { taker, passwordHash } = offer;
  const at = runtime.now();
  // In the order of those who change the target and end its invitations.
  if ('memberId' in target) await lockMember(tx, target.memberId);
  else await lockPartner(tx, target.partnerId);
  const invite = await claimInvite(tx, offer.tokenHash, at);
  const invited = invite && (await findInvited(tx.db, invite));
  if (!invite || !invited) return new Rejection('invite_invalid');
  if (taker.user !== null && taker.user.email !== invited.email) return otherEmail();
  const { email, name } = invited;
  const userId =
    taker.user?.id ??
    (await insertUserIfNew(tx, {
      email,
      name,
      passwordHash: passwordHash ?? '',
      at,
    }));
  if (userId === null) return signInFirst();
  const user = { id: userId, email, name: taker.user?.name ?? name };
  if (!(await link(tx, invite, userId))) {
    return new Rejection('conflict', 'The user is a member of the workspace already');
  }
  await deleteInvites(tx, invite.target);
  const author: Author = { kind: 'user', id: userId, requestId: taker.requestId };
  await recordChange(tx, runtime, {
    workspaceId: invite.workspaceId,
    action: `${invited.kind}.accept_invite`,
    subjectId: invited.subjectId,
    before: { user_id: null },
    after: { user_id: userId },
    author,
  });
  return { user, session: taker.user === null ? await openSession(tx, runtime, userId) : null };
}

/** @returns false where the user holds the place already */
async function link(tx: Transaction, invite: Invite, userId: number): Promise<boolean> {
  const { target } = invite;
  const linked = await catchUniqueViolation(tx, async () => {
    if ('memberId' in target) await linkMember(tx, target.memberId, userId);
    else await linkPartner(tx, target.partnerId, userId);
  });
  return linked !== 'taken';
}

/** Null where it has been taken already. */
async function findInvited(db: Transaction['db'], { target }: Invite): Promise<Invited | null> {
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
  return new Rejection('forbidden', 'The invitation is for another e-mail than that of the session');
}

function signInFirst(): Rejection {
  return new Rejection(
    'conflict',
    'This e-mail has a user already: sign in and accept the invitation in that session',
  );
}
