import { createMemberRequest, updateMemberRequest, workspacePageQuery } from '@affkit/protocol';
import type { Actor } from '../access/actor.ts';
import { checkWorkspacePermission } from '../access/permission.ts';
import { chooseWorkspace, chooseWorkspaces } from '../access/workspace-choice.ts';
import { isoTime } from '../domain/calendar.ts';
import { addMember, changeMember, inviteMember, removeMember } from '../management/members.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findMember, listMembers, type Member } from '../storage/accounts/members.ts';
import { inviteReplyFields } from './invites.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithItem, route } from './route.ts';

const MEMBERS_PATH = '/api/advertiser/members';
const OWNER_ROUTE_ACCESS = { kind: 'session', permission: 'member:write' } as const;

export const memberRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: MEMBERS_PATH,
    access: OWNER_ROUTE_ACCESS,
    query: workspacePageQuery,
    handle: async (runtime, { caller, query }) => {
      const workspaceIds = chooseWorkspaces(caller, 'member:write', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const { members, total } = await listMembers(runtime.engine.read, workspaceIds, rowRangeOf(query));
      return replyWithList(members.map(toMemberReply), query, total);
    },
  }),
  route({
    method: 'POST',
    path: MEMBERS_PATH,
    access: OWNER_ROUTE_ACCESS,
    body: createMemberRequest,
    handle: async (runtime, { caller, body: { workspace_id: requestedId, password: _, ...member } }) => {
      const workspaceId = chooseWorkspace(caller, 'member:write', requestedId);
      if (isRejection(workspaceId)) return workspaceId;
      const added = await addMember(runtime, { workspaceId, userId: caller.user.id }, member);
      if (isRejection(added)) return added;
      const data = { ...toMemberReply(added.member), ...inviteReplyFields(added.invite) };
      return { status: added.isNew ? 201 : 200, body: { success: true, data } };
    },
  }),
  route({
    method: 'PUT',
    path: `${MEMBERS_PATH}/:id`,
    access: OWNER_ROUTE_ACCESS,
    authorize: findOwnMember,
    body: updateMemberRequest,
    handle: async (runtime, { caller, resource: member, body }) => {
      const by = { workspaceId: member.workspaceId, userId: caller.user.id };
      return replyWithItem(await changeMember(runtime, by, member.id, body), toMemberReply);
    },
  }),
  route({
    method: 'POST',
    path: `${MEMBERS_PATH}/:id/invite`,
    access: OWNER_ROUTE_ACCESS,
    authorize: findOwnMember,
    handle: async (runtime, { caller, resource: member }) => {
      const by = { workspaceId: member.workspaceId, userId: caller.user.id };
      return replyWithItem(await inviteMember(runtime, by, member.id), inviteReplyFields, 201);
    },
  }),
  route({
    method: 'DELETE',
    path: `${MEMBERS_PATH}/:id`,
    access: OWNER_ROUTE_ACCESS,
    authorize: findOwnMember,
    handle: async (runtime, { caller, resource: member }) => {
      const by = { workspaceId: member.workspaceId, userId: caller.user.id };
      const removed = await removeMember(runtime, by, member.id);
      return isRejection(removed) ? removed : { body: { success: true } };
    },
  }),
];

/**
 * Finds the member whose id is in the path. Rejects callers who may not change members in that member's
 * workspace.
 */
async function findOwnMember(
  runtime: Runtime,
  { caller, params }: { readonly caller: Actor; readonly params: { readonly id: number } },
): Promise<Member | Rejection> {
  const member = await findMember(runtime.engine.read, params.id);
  if (!member) return new Rejection('not_found');
  return checkWorkspacePermission(caller, member.workspaceId, 'member:write') ?? member;
}

function toMemberReply(member: Member) {
  return {
    id: member.id,
    workspace_id: member.workspaceId,
    user_id: member.userId,
    email: member.email,
    name: member.name,
    role: member.role,
    status: member.userId === null ? 'invited' : 'active',
    created_at: isoTime(member.createdAt),
  };
}
