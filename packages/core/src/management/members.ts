import type { createMemberRequest, updateMemberRequest } from '@affkit/protocol';
import type { z } from 'zod';
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
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { catchUniqueViolation } from '../storage/database/unique-violation.ts';
import { revokeKeysOfUser } from './api-keys.ts';
import { recordChange } from './audit.ts';
import { type IssuedInvite, inviteAgain, inviteUnlessInvited, recordInvite } from './invites.ts';

export type NewMember = Omit<z.output<typeof createMemberRequest>, 'workspace_id'>;
export type MemberChange = z.output<typeof updateMemberRequest>;

export interface AddMemberResult {
  readonly member: Member;
  /** A new invitation. Null when the member has already accepted, or an earlier invitation is still valid. */
  readonly invite: IssuedInvite | null;
  /** Whether the member was added. False when the workspace already has a member with this email. */
  readonly isNew: boolean;
}

/**
 * Invites an email address to the workspace. The call neither creates nor looks up a user. The owner therefore
 * does not learn whether the address has an account.
 *
 * Repeating the request returns the existing member. If the invitation has expired, a new invitation replaces
 * it.
 * @returns `rate_limited` after too many invitations to the address
 */
export async function addMember(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  input: NewMember,
): Promise<AddMemberResult | Rejection> {
  const { workspaceId } = by;
  return await asOwner(runtime, by, async (tx) => {
    const existing = await findMemberByEmail(tx.db, workspaceId, input.email);
    if (existing) {
      const { role } = existing;
      if (role !== input.role) {
        return new Rejection('conflict', `This email is already in the workspace, with the role ${role}`);
      }
      const target = { memberId: existing.id };
      const isInvited = existing.userId === null;
      const { email } = input;
      const invite = isInvited
        ? await inviteUnlessInvited(tx, runtime, { workspaceId, target, email })
        : null;
      if (isRejection(invite)) return invite;
      if (invite) await recordInvite(tx, runtime, { workspaceId, target }, invite);
      return { member: existing, invite, isNew: false };
    }
    const { email, name, role } = input;
    const id = await insertMember(tx, { workspaceId, email, name, role, at: runtime.now() });
    const member = await findMember(tx.db, id);
    if (!member) throw new Error(`Member ${id} is missing right after its insertion`);
    await recordChange(tx, runtime, {
      workspaceId,
      action: 'member.create',
      subjectId: id,
      before: null,
      after: memberStateOf(member),
    });
    const invite = await inviteUnlessInvited(tx, runtime, { workspaceId, target: { memberId: id }, email });
    return isRejection(invite) ? invite : { member, invite, isNew: true };
  });
}

/**
 * Changes a member's role. Name and email can be changed only until the member accepts the invitation. A new
 * email address makes the earlier invitation invalid.
 */
export async function changeMember(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  memberId: number,
  input: MemberChange,
): Promise<Member | Rejection> {
  return await asOwner(runtime, by, async (tx) => {
    // Accepting an invitation locks only this member, not all members of the workspace. So lock the member too.
    // Otherwise, the invitation could be accepted during the change.
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
      before: memberStateOf(member),
      after: memberStateOf(changed),
    });
    return changed;
  });
}

/**
 * Sends a new invitation to a member who has not accepted any invitation. Earlier invitations become invalid.
 * @returns `rate_limited` after too many invitations to the address
 */
export async function inviteMember(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  memberId: number,
): Promise<IssuedInvite | Rejection> {
  return await asOwner(runtime, by, async (tx) => {
    await lockMember(tx, memberId);
    const member = await findMember(tx.db, memberId);
    if (member?.workspaceId !== by.workspaceId) return new Rejection('not_found');
    if (member.userId !== null)
      return new Rejection(
        'conflict',
        'The member already has an account, and can sign in without an invitation',
      );
    const { workspaceId, email } = member;
    return await inviteAgain(tx, runtime, { workspaceId, target: { memberId }, email });
  });
}

/**
 * Removes a member or withdraws an invitation. Ends the user's sessions and revokes the keys that the user
 * created.
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
      before: memberStateOf(member),
      after: null,
    });
    return true;
  });
}

/** The fields of a member that the audit log records. */
function memberStateOf(member: Member): {
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
 * time. The transaction checks again that the caller is an owner, because the role may have changed after the
 * request was authenticated.
 */
export function asOwner<T>(
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

function lastOwner(): Rejection {
  return new Rejection(
    'conflict',
    'The last owner cannot be removed or demoted. First make another member an owner.',
  );
}

function emailTaken(): Rejection {
  return new Rejection('conflict', 'Another member of the workspace has this email');
}
