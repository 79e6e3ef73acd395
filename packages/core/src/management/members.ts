import type { createMemberRequest, updateMemberRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { hashPassword } from '../access/password.ts';
import { endSessions } from '../access/session.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { deleteInvites } from '../storage/accounts/invites.ts';
import {
  countOwners,
  deleteMember,
  findMember,
  findMemberByEmail,
  findRole,
  insertMember,
  lockMember,
  lockMembers,
  type Member,
  updateMember,
} from '../storage/accounts/members.ts';
import { findUserByEmail, insertUserIfNew } from '../storage/accounts/users.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { catchUniqueViolation } from '../storage/database/unique-violation.ts';
import { revokeKeysOfUser } from './api-keys.ts';
import { recordChange } from './audit.ts';
import { type IssuedInvite, inviteUnlessInvited, recordInvite } from './invites.ts';

export type NewMember = Omit<z.output<typeof createMemberRequest>, 'workspace_id'>;
export type MemberChange = z.output<typeof updateMemberRequest>;

/** The result of `addMember`. */
export interface AddMemberResult {
  readonly member: Member;
  /** A new invitation. Null when the member needs none, or an earlier invitation is still valid. */
  readonly invite: IssuedInvite | null;
  /** Whether the member was added. False when the email already was in the workspace. */
  readonly isNew: boolean;
}

/**
 * Adds a member by email address. With a password, the user is created and becomes a member immediately. This
 * requires that no user has the email address yet. Without a password, the member is invited.
 *
 * Repeating the request returns the existing member. An expired invitation is then replaced by a new one.
 */
export async function addMember(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  input: NewMember,
): Promise<AddMemberResult | Rejection> {
  const { workspaceId } = by;
  const passwordHash = await hashForNewUser(runtime, by, input);
  if (isRejection(passwordHash)) return passwordHash;
  return await asOwner(runtime, by, async (tx) => {
    const existing = await findMemberByEmail(tx.db, workspaceId, input.email);
    if (existing) {
      const rejection = checkRepeat(existing, input);
      if (rejection) return rejection;
      const target = { memberId: existing.id };
      const isInvited = existing.userId === null;
      const invite = isInvited ? await inviteUnlessInvited(tx, runtime, workspaceId, target) : null;
      if (invite) await recordInvite(tx, runtime, { workspaceId, target }, invite);
      return { member: existing, invite, isNew: false };
    }
    const is = await chooseIdentity(tx, runtime, input, passwordHash);
    if (isRejection(is)) return is;
    const id = await insertMember(tx, { workspaceId, role: input.role, at: runtime.now(), is });
    const member = await findMember(tx.db, id);
    if (!member) throw new Error(`Member ${id} is missing right after its insertion`);
    await recordChange(tx, runtime, {
      workspaceId,
      action: 'member.create',
      subjectId: id,
      before: null,
      after: stateOf(member),
    });
    const invite =
      member.userId === null ? await inviteUnlessInvited(tx, runtime, workspaceId, { memberId: id }) : null;
    return { member, invite, isNew: true };
  });
}

/**
 * Changes a member's role. The name and email can be changed only while the member is invited. A new email
 * ends the invitation.
 */
export async function changeMember(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  memberId: number,
  input: MemberChange,
): Promise<Member | Rejection> {
  return await asOwner(runtime, by, async (tx) => {
    // Accepting the invitation locks the member but not the workspace's members, so this must lock the member
    // too.
    await lockMember(tx, memberId);
    const member = await findMember(tx.db, memberId);
    if (member?.workspaceId !== by.workspaceId) return new Rejection('not_found');
    const change = pickChanges(member, input);
    if (member.userId !== null && (change.email !== undefined || change.name !== undefined)) {
      return new Rejection('conflict', 'email and name cannot be changed once the member has a user account');
    }
    const changed = { ...member, ...change };
    if (changed.role !== 'owner' && (await isLastOwner(tx, member))) return lastOwner();
    if (change.email !== undefined) {
      if (await findMemberByEmail(tx.db, by.workspaceId, change.email)) return emailTaken();
      await deleteInvites(tx, { memberId });
    }
    if ((await catchUniqueViolation(tx, () => updateMember(tx, memberId, change))) === 'taken')
      return emailTaken();
    await recordChange(tx, runtime, {
      workspaceId: by.workspaceId,
      action: 'member.update',
      subjectId: memberId,
      before: stateOf(member),
      after: stateOf(changed),
    });
    return changed;
  });
}

/**
 * Removes a member or an invited one. Ends the user's sessions and revokes the keys that the user created.
 */
export async function removeMember(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  memberId: number,
): Promise<true | Rejection> {
  return await asOwner(runtime, by, async (tx) => {
    await lockMember(tx, memberId);
    const member = await findMember(tx.db, memberId);
    if (member?.workspaceId !== by.workspaceId) return new Rejection('not_found');
    if (await isLastOwner(tx, member)) return lastOwner();
    await deleteInvites(tx, { memberId });
    await deleteMember(tx, memberId);
    if (member.userId !== null) {
      await endSessions(tx, runtime, member.userId);
      await revokeKeysOfUser(tx, runtime, by.workspaceId, member.userId);
    }
    await recordChange(tx, runtime, {
      workspaceId: by.workspaceId,
      action: 'member.delete',
      subjectId: memberId,
      before: stateOf(member),
      after: null,
    });
    return true;
  });
}

/** The state of a member that the audit log stores. */
function stateOf(member: Member): {
  email: string;
  name: string;
  role: string;
  user_id: number | null;
} {
  const { email, name, role, userId } = member;
  return { email, name, role, user_id: userId };
}

/**
 * Runs `work` in a transaction that locks the workspace's members, so that only one request changes them at a
 * time. The caller must be an owner under that lock, not only when the request was authenticated.
 */
function asOwner<T>(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  work: (tx: Transaction) => Promise<T | Rejection>,
): Promise<T | Rejection> {
  return transactOrReject(runtime.engine, by.workspaceId, async (tx) => {
    await lockMembers(tx, by.workspaceId);
    const role = await findRole(tx.db, by.workspaceId, by.userId);
    return role === 'owner' ? await work(tx) : new Rejection('forbidden');
  });
}

/**
 * Hashes the password of a new user before the lock is taken, because hashing is slow on purpose. Requests
 * that will be rejected and repeated requests are detected first, so that they do not hash anything.
 *
 * @returns null when there is nothing to hash
 */
async function hashForNewUser(
  { engine }: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  input: NewMember,
): Promise<string | null | Rejection> {
  if (input.password === undefined) return null;
  const { workspaceId, userId } = by;
  if ((await findRole(engine.read, workspaceId, userId)) !== 'owner') return new Rejection('forbidden');
  // Reads the user before the member. A concurrent equal request commits both together, so if this sees its
  // user, it also sees its member and treats this request as a repeat.
  const user = await findUserByEmail(engine.read, input.email);
  const existing = await findMemberByEmail(engine.read, workspaceId, input.email);
  if (existing) return checkRepeat(existing, input);
  return user ? userExists() : await hashPassword(input.password);
}

async function chooseIdentity(
  tx: Transaction,
  runtime: Runtime,
  input: NewMember,
  passwordHash: string | null,
): Promise<{ userId: number } | { email: string; name: string } | Rejection> {
  const { email, name, password } = input;
  // Stores the email even if a user has it, so that the owner cannot find out about the user before the user
  // accepts.
  if (password === undefined) return { email, name };
  if (passwordHash === null) {
    return new Rejection('conflict', 'The member was removed during this request. Try again.');
  }
  const userId = await insertUserIfNew(tx, {
    email,
    name,
    passwordHash,
    at: runtime.now(),
  });
  return userId === null ? userExists() : { userId };
}

function checkRepeat(existing: Member, input: NewMember): Rejection | null {
  if (existing.role !== input.role) {
    return new Rejection(
      'conflict',
      `This email is already in the workspace, with the role ${existing.role}`,
    );
  }
  return existing.userId === null && input.password !== undefined
    ? new Rejection('conflict', 'This email is already invited. The invited person sets the password.')
    : null;
}

async function isLastOwner(tx: Transaction, member: Member): Promise<boolean> {
  if (member.role !== 'owner' || member.userId === null) return false;
  return (await countOwners(tx.db, member.workspaceId)) <= 1;
}

function pickChanges(member: Member, input: MemberChange): Partial<Pick<Member, 'role' | 'email' | 'name'>> {
  return {
    ...(input.role !== undefined && input.role !== member.role && { role: input.role }),
    ...(input.email !== undefined && input.email !== member.email && { email: input.email }),
    ...(input.name !== undefined && input.name !== member.name && { name: input.name }),
  };
}

function userExists(): Rejection {
  return new Rejection('invalid_field', 'password is allowed only if no user has this email yet');
}

function lastOwner(): Rejection {
  return new Rejection('conflict', 'The last owner of a workspace cannot be removed or demoted');
}

function emailTaken(): Rejection {
  return new Rejection('conflict', 'Another member of the workspace has this email');
}
