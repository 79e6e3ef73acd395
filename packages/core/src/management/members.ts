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
import { type IssuedInvite, inviteOnce, recordInvite } from './invites.ts';

export type NewMember = Omit<z.output<typeof createMemberRequest>, 'workspace_id'>;
export type MemberChange = z.output<typeof updateMemberRequest>;

export interface MemberAdded {
  readonly member: Member;
  /** Only where someone has to accept, and no earlier invitation is in force. */
  readonly invite: IssuedInvite | null;
  /** False where the e-mail stood in the workspace already. */
  readonly isNew: boolean;
}

/**
 * Invites an e-mail, or, where it has no user yet and a password is given, makes its user a member at once.
 * Asked again it answers with the member as it is; a lapsed invitation is renewed.
 */
export async function addMember(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  input: NewMember,
): Promise<MemberAdded | Rejection> {
  const { workspaceId } = by;
  const passwordHash = await hashWhereNew(runtime, by, input);
  if (isRejection(passwordHash)) return passwordHash;
  return await asOwner(runtime, by, async (tx) => {
    const present = await findMemberByEmail(tx.db, workspaceId, input.email);
    if (present) {
      const fault = checkRepeat(present, input);
      if (fault) return fault;
      const target = { memberId: present.id };
      const invite = present.userId === null ? await inviteOnce(tx, runtime, workspaceId, target) : null;
      if (invite) await recordInvite(tx, runtime, { workspaceId, target }, invite);
      return { member: present, invite, isNew: false };
    }
    const is = await chooseIdentity(tx, runtime, input, passwordHash);
    if (isRejection(is)) return is;
    const id = await insertMember(tx, { workspaceId, role: input.role, at: runtime.now(), is });
    const member = await findMember(tx.db, id);
    if (!member) throw new Error(`Member ${id} was just added`);
    await recordChange(tx, runtime, {
      workspaceId,
      action: 'member.create',
      subjectId: id,
      before: null,
      after: stateOf(member),
    });
    const invite =
      member.userId === null ? await inviteOnce(tx, runtime, workspaceId, { memberId: id }) : null;
    return { member, invite, isNew: true };
  });
}

/** Changes a role; of someone who is still invited also the name and the e-mail, which ends the invitation. */
export async function changeMember(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  memberId: number,
  input: MemberChange,
): Promise<Member | Rejection> {
  return await asOwner(runtime, by, async (tx) => {
    // The invitation may be accepted at this moment, which no lock of the workspace holds off.
    await lockMember(tx, memberId);
    const member = await findMember(tx.db, memberId);
    if (member?.workspaceId !== by.workspaceId) return new Rejection('not_found');
    const change = differing(member, input);
    if (member.userId !== null && (change.email !== undefined || change.name !== undefined)) {
      return new Rejection('conflict', 'email and name cannot be changed once the member signs in with them');
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

/** Ends a membership with its user's sessions and the keys that this one made, or an invitation. */
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

/** What people may read of a member's past. */
function stateOf(member: Member): {
  email: string;
  name: string;
  role: string;
  user_id: number | null;
} {
  const { email, name, role, userId } = member;
  return { email, name, role, user_id: userId };
}

/** One change of a workspace's members at a time, by someone who owns the workspace when it is made. */
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
 * The hash of a password that is to be stored, by all that is known before the lock. Whoever is refused, or asks again,
 * costs none: it is slow on purpose.
 * @returns null where nothing is to be hashed
 */
async function hashWhereNew(
  { engine }: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  input: NewMember,
): Promise<string | null | Rejection> {
  if (input.password === undefined) return null;
  const { workspaceId, userId } = by;
  if ((await findRole(engine.read, workspaceId, userId)) !== 'owner') return new Rejection('forbidden');
  // First the user: one that another request makes at this moment is a member by the time it is seen.
  const user = await findUserByEmail(engine.read, input.email);
  const present = await findMemberByEmail(engine.read, workspaceId, input.email);
  if (present) return checkRepeat(present, input);
  return user ? hasUser() : await hashPassword(input.password);
}

async function chooseIdentity(
  tx: Transaction,
  runtime: Runtime,
  input: NewMember,
  passwordHash: string | null,
): Promise<{ userId: number } | { email: string; name: string } | Rejection> {
  const { email, name, password } = input;
  // Whether the e-mail has a user, and under which name, is nobody's business before that user accepts.
  if (password === undefined) return { email, name };
  if (passwordHash === null) {
    return new Rejection('conflict', 'The member was removed at this moment: ask again');
  }
  const userId = await insertUserIfNew(tx, {
    email,
    name,
    passwordHash,
    at: runtime.now(),
  });
  return userId === null ? hasUser() : { userId };
}

function checkRepeat(present: Member, input: NewMember): Rejection | null {
  if (present.role !== input.role) {
    return new Rejection('conflict', `The email stands in the workspace already, as ${present.role}`);
  }
  return present.userId === null && input.password !== undefined
    ? new Rejection('conflict', 'The email is invited already: it sets its own password')
    : null;
}

async function isLastOwner(tx: Transaction, member: Member): Promise<boolean> {
  if (member.role !== 'owner' || member.userId === null) return false;
  return (await countOwners(tx.db, member.workspaceId)) <= 1;
}

function differing(member: Member, input: MemberChange): Partial<Pick<Member, 'role' | 'email' | 'name'>> {
  return {
    ...(input.role !== undefined && input.role !== member.role && { role: input.role }),
    ...(input.email !== undefined && input.email !== member.email && { email: input.email }),
    ...(input.name !== undefined && input.name !== member.name && { name: input.name }),
  };
}

function hasUser(): Rejection {
  return new Rejection('invalid_field', 'password can be given only where the email has no user yet');
}

function lastOwner(): Rejection {
  return new Rejection('conflict', 'The last owner of a workspace cannot be removed or demoted');
}

function emailTaken(): Rejection {
  return new Rejection('conflict', 'Another member of the workspace has this email');
}
