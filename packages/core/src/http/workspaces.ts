import { createWorkspaceRequest, pageQuery, updateWorkspaceRequest } from '@affkit/protocol';
import { checkWorkspacePermission } from '../access/permission.ts';
import { authorizeWorkspaceCreation } from '../access/workspace-creation.ts';
import { isoTime } from '../domain/calendar.ts';
import { createWorkspace, renameWorkspace } from '../management/workspaces.ts';
import { listWorkspacesOfUser, type MemberWorkspace } from '../storage/accounts/workspaces.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithItem, route } from './route.ts';

const WORKSPACES_PATH = '/api/advertiser/workspaces';
const SESSION_ROUTE_ACCESS = { kind: 'session', permission: null } as const;

export const workspaceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: WORKSPACES_PATH,
    access: SESSION_ROUTE_ACCESS,
    query: pageQuery,
    handle: async (runtime, { caller: { user }, query }) => {
      const workspaces = await listWorkspacesOfUser(runtime.engine.read, user.id);
      const { offset, limit } = rowRangeOf(query);
      return replyWithList(
        workspaces.slice(offset, offset + limit).map(toWorkspaceReply),
        query,
        workspaces.length,
      );
    },
  }),
  route({
    method: 'POST',
    path: WORKSPACES_PATH,
    access: SESSION_ROUTE_ACCESS,
    body: createWorkspaceRequest,
    authorize: async (runtime, { caller }) => authorizeWorkspaceCreation(runtime, caller),
    handle: async (runtime, { caller: { user }, body }) => {
      const workspace = await createWorkspace(runtime, { name: body.name, ownerId: user.id });
      return replyWithItem(workspace, toWorkspaceReply, 201);
    },
  }),
  route({
    method: 'PUT',
    path: `${WORKSPACES_PATH}/:id`,
    access: { kind: 'session', permission: 'member:write' },
    body: updateWorkspaceRequest,
    authorize: async (_runtime, { caller, params }) =>
      checkWorkspacePermission(caller, params.id, 'member:write'),
    handle: async (runtime, { caller, params, body }) => {
      const by = { workspaceId: params.id, userId: caller.user.id };
      return replyWithItem(await renameWorkspace(runtime, by, body.name), toWorkspaceReply);
    },
  }),
];

function toWorkspaceReply(workspace: MemberWorkspace) {
  const { id, name, role, createdAt } = workspace;
  return { id, name, role, created_at: isoTime(createdAt) };
}
