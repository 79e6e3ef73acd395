import { confirmPassword } from '../access/confirm-password.ts';
import { hashPassword, isPassword } from '../access/password.ts';
import {
  endSessions,
  type OpenedSession,
  openSession,
  type SessionClient,
  type SignedInSession,
  toSignedInSession,
} from '../access/session.ts';
import { hashToken } from '../domain/token.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Author, Runtime } from '../runtime.ts';
import { claimInvite, deleteInvites, type Invite, type InviteTarget } from '../storage/accounts/invites.ts';
import { linkMember, lockMember } from '../storage/accounts/members.ts';
import { hasSession } from '../storage/accounts/sessions.ts';
import {
  findUserByEmail,
  insertUserIfNew,
  lockUserWithPasswordHash,
  type User,
  type UserWithPassword,
  updatePasswordHash,
} from '../storage/accounts/users.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { catchUniqueViolation } from '../storage/database/unique-violation.ts';
import { linkPartner, lockPartner } from '../storage/programs/partners.ts';
import { recordChange } from './audit.ts';
import { findInvited, findOpenInvite, type InvitedSubject } from './invitation.ts';

/** The person who accepts an invitation: the signed-in user, or a new user with a password. */
export interface Invitee {
  /** The user of the request's session, or null without a session. */
  readonly user: User | null;
  /**
   * The session of the request. Null without a session, or with a token of the external identity provider.
   */
  readonly sessionId: number | null;
  /** The client on which a new user is signed in. */
  readonly client: SessionClient;
  /**
   * The new password. A new user must send it. An existing user whose password somebody else may know must send it
   * too, unless `currentPassword` is sent and allowed. In all other cases, it is ignored.
   */
  readonly password: string | undefined;
  /** The current password of an existing user who wants to keep this password, because nobody else knows it. */
  readonly currentPassword?: string | undefined;
  readonly requestId: string;
}

/** The invitee after all checks, with the hash of the password to set. */
interface CheckedInvitee {
  /** Null for a new user. */
  readonly user: UserWithPassword | null;
  /** Null when the user keeps the current password. */
  readonly passwordHash: string | null;
  /** Whether all other sessions of the user must end, because another person may have opened them. */
  readonly endsSessions: boolean;
  readonly sessionId: number | null;
  readonly client: SessionClient;
  readonly requestId: string;
}

/**
 * Links the invited member or partner to the signed-in user, or to a new user, who is then signed in. A token
 * works once: of several concurrent requests with the same token, only one succeeds.
 *
 * The inviter also sees the token, and could use it to set the invited user's password. If another workspace
 * invites this user later, the first inviter must not get access to that workspace. Therefore, if someone
 * else may know the current password, accepting an invitation requires a new password. A user who states that
 * nobody else knows the current password can send that password instead. In both cases, the user's other
 * sessions end.
 *
 * @returns the user, and the new session in `signedIn`. `signedIn` is null when the caller already had a session.
 * Returns `password_required` when the caller must send one of the two passwords. Returns
 * `password_change_required` when the operator has set the current password and the caller sent no new password
 */
export async function acceptInvite(
  runtime: Runtime,
  token: string,
  invitee: Invitee,
): Promise<{ readonly user: User; readonly signedIn: SignedInSession | null } | Rejection> {
  const tokenHash = hashToken(token);
  const invitation = await findOpenInvite(runtime, token);
  if (isRejection(invitation)) return invitation;
  const { invite, invited } = invitation;
  const checked = await checkInvitee(runtime, invited, invitee);
  if (isRejection(checked)) return checked;
  const outcome = await transactOrReject(runtime.engine, invite.workspaceId, (tx) =>
    acceptInviteIn(tx, runtime, invite.target, tokenHash, checked),
  );
  if (isRejection(outcome)) return outcome;
  const { user, session } = outcome;
  if (session === null) return { user, signedIn: null };
  const password = { passwordHash: checked.passwordHash ?? '', passwordIsTemporary: false };
  return { user, signedIn: await toSignedInSession(runtime, session, { ...user, ...password }) };
}

/** Runs every check that is possible before the password is hashed, because hashing is slow. */
async function checkInvitee(
  runtime: Runtime,
  invited: InvitedSubject,
  { user: caller, password, currentPassword, sessionId, client, requestId }: Invitee,
): Promise<CheckedInvitee | Rejection> {
  if (caller !== null && caller.email !== invited.email) return otherEmailRejection();
  const context = { sessionId, client, requestId };
  // This check must come first, so that a request without a password does not reveal whether the email
  // address has an account.
  if (caller === null && password === undefined)
    return new Rejection('invalid_field', 'password is required');
  const user = await findUserByEmail(runtime.engine.read, invited.email);
  if (caller === null) {
    if (user !== null) return signInFirstRejection();
    return { user: null, passwordHash: await hashPassword(password ?? ''), endsSessions: false, ...context };
  }
  if (user === null) throw new Error(`The signed-in user ${caller.id} does not exist`);
  if (user.passwordIsOwn && !user.passwordIsTemporary) {
    return { user, passwordHash: null, endsSessions: false, ...context };
  }
  if (currentPassword !== undefined && !user.passwordIsTemporary) {
    const rejection = await confirmPassword(runtime, { sessionId, user }, currentPassword);
    return rejection ?? { user, passwordHash: null, endsSessions: true, ...context };
  }
  if (password === undefined) return passwordRejection(user);
  if (await isPassword(user.passwordHash, password)) {
    return new Rejection('invalid_field', 'password must differ from the current password');
  }
  return { user, passwordHash: await hashPassword(password), endsSessions: true, ...context };
}

function passwordRejection({ passwordIsTemporary }: UserWithPassword): Rejection {
  return passwordIsTemporary
    ? new Rejection(
        'password_change_required',
        'Your current password was set by the operator. Send a new one as `password` with the invitation.',
      )
    : new Rejection(
        'password_required',
        'Someone else may know your current password. Send a new password as `password` with the invitation. If only you know the current password, you can send it as `current_password` instead.',
      );
}

async function acceptInviteIn(
  tx: Transaction,
  runtime: Runtime,
  target: InviteTarget,
  tokenHash: string,
  invitee: CheckedInvitee,
): Promise<{ user: User; session: OpenedSession | null } | Rejection> {
  const at = runtime.now();
  // Lock the member or partner before the invitation. Requests that change the member or partner and delete its
  // invitations use the same order, so there is no deadlock.
  if ('memberId' in target) await lockMember(tx, target.memberId);
  else await lockPartner(tx, target.partnerId);
  const invite = await claimInvite(tx, tokenHash, at);
  const invited = invite && (await findInvited(tx.db, invite));
  if (!invite || !invited) return new Rejection('invite_invalid');
  if (invitee.user !== null && invitee.user.email !== invited.email) return otherEmailRejection();
  const user = await signUpOrSecure(tx, runtime, invited, invitee);
  if (isRejection(user)) return user;
  const { id: userId } = user;
  if (!(await linkUser(tx, invite, userId))) {
    return new Rejection(
      'conflict',
      'The user is already a member of the workspace, so the invitation is not needed',
    );
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
  const isNew = invitee.user === null;
  return { user, session: isNew ? await openSession(tx, runtime, userId, invitee.client) : null };
}

/**
 * Returns the user who accepts the invitation. If the user does not exist yet, creates the user. If somebody else may
 * know the password of an existing user, ends the user's other sessions, and stores the new password unless the user
 * keeps the current one.
 */
async function signUpOrSecure(
  tx: Transaction,
  runtime: Runtime,
  { email, name }: InvitedSubject,
  { user, passwordHash, endsSessions, sessionId }: CheckedInvitee,
): Promise<User | Rejection> {
  if (user === null) {
    const newUser = { email, name, passwordHash: passwordHash ?? '', at: runtime.now() };
    const id = await insertUserIfNew(tx, newUser);
    return id === null ? signInFirstRejection() : { id, email, name };
  }
  if (endsSessions) {
    // Another request may have changed the password since this request was authenticated. This request must then not
    // replace that new password, so it is rejected. Comparing the password hash is not enough to detect the change: if
    // it happened before `user` was read, `user` already contains the new hash. In this case, the change has ended the
    // session, so the session is checked too.
    const isUnchanged = await lockUserWithPasswordHash(tx, user.id, user.passwordHash);
    const isSignedIn = sessionId === null || (await hasSession(tx, user.id, sessionId));
    if (!isUnchanged || !isSignedIn) return new Rejection('unauthenticated');
    if (passwordHash !== null) await updatePasswordHash(tx, user.id, passwordHash, 'user');
    await endSessions(tx, runtime, user.id, sessionId);
  }
  return { id: user.id, email, name: user.name };
}

/** @returns false when the user is already a member of the workspace or already linked to the partner */
async function linkUser(tx: Transaction, invite: Invite, userId: number): Promise<boolean> {
  const { target } = invite;
  const linked = await catchUniqueViolation(tx, async () => {
    if ('memberId' in target) await linkMember(tx, target.memberId, userId);
    else await linkPartner(tx, target.partnerId, userId);
  });
  return linked !== 'taken';
}

function otherEmailRejection(): Rejection {
  return new Rejection(
    'forbidden',
    'The invitation is for another email address. Sign in with the invited address.',
  );
}

function signInFirstRejection(): Rejection {
  return new Rejection(
    'conflict',
    'A user with this email already exists. Sign in and accept the invitation in that session.',
  );
}
