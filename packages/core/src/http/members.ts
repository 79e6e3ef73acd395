import { createMemberRequest, updateMemberRequest } from '@affkit/protocol';
import type { Actor } from '../access/actor.ts';
import { isAllowed } from '../access/permission.ts';
import { chooseWorkspace } from '../access/workspace-choice.ts';
import { isoTime } from '../domain/calendar.ts';
import { addMember, changeMember, removeMember } from '../management/members.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findMember, listMembers, type Member } from '../storage/accounts/members.ts';
import { readRowId } from './fields.ts';
import { inviteFields } from './invites.ts';
import { listAnswer } from './pagination.ts';
import { parseBody } from './parse.ts';
import { itemAnswer, type Route, route } from './route.ts';
import { readWorkspacePage } from './workspace-page.ts';

const PATH = '/api/advertiser/members';
const OWNER = { kind: 'session', permission: 'member:write' } as const;

export const memberRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: OWNER,
    handle: async (runtime, { caller, request }) => {
      const asked = readWorkspacePage(caller, 'member:write', request.query);
      if (isRejection(asked)) return asked;
      const { page, workspaceIds } = asked;
      const { members, total } = await listMembers(runtime.engine.read, workspaceIds, page);
      return listAnswer(members.map(memberRow), page, total);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    access: OWNER,
    limiter: 'passwords',
    handle: async (runtime, { caller, body }) => {
      const input = parseBody(createMemberRequest, body);
      if (isRejection(input)) return input;
      const { workspace_id: named, ...member } = input;
      const workspaceId = chooseWorkspace(caller, 'member:write', named);
      if (isRejection(workspaceId)) return workspaceId;
      const added = await addMember(runtime, { workspaceId, userId: caller.user.id }, member);
      if (isRejection(added)) return added;
      const data = { ...memberRow(added.member), ...inviteFields(added.invite) };
      return { status: added.isNew ? 201 : 200, body: { success: true, data } };
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:id`,
    access: OWNER,
    handle: async (runtime, { caller, params, body }) => {
      const found = await findOwn(runtime, caller, params['id']);
      if (isRejection(found)) return found;
      const input = parseBody(updateMemberRequest, body);
      if (isRejection(input)) return input;
      const by = { workspaceId: found.workspaceId, userId: caller.user.id };
      const member = await changeMember(runtime, by, found.id, input);
      return itemAnswer(member, memberRow);
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:id`,
    access: OWNER,
    handle: async (runtime, { caller, params }) => {
      const found = await findOwn(runtime, caller, params['id']);
      if (isRejection(found)) return found;
      const by = { workspaceId: found.workspaceId, userId: caller.user.id };
      const removed = await removeMember(runtime, by, found.id);
      return isRejection(removed) ? removed : { body: { success: true } };
    },
  }),
];

async function findOwn(
  runtime: Runtime,
  actor: Actor,
  text: string | undefined,
): Promise<Member | Rejection> {
  const id = readRowId(text);
  if (isRejection(id)) return id;
  const member = await findMember(runtime.engine.read, id);
  if (!member) return new Rejection('not_found');
  return isAllowed(actor, member.workspaceId, 'member:write') ? member : new Rejection('forbidden');
}

function memberRow(member: Member) {
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
