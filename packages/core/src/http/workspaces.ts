import { createWorkspaceRequest } from '@affkit/protocol';
import { isoTime } from '../domain/calendar.ts';
import { createWorkspace } from '../management/workspaces.ts';
import { isRejection } from '../rejection.ts';
import { listWorkspacesOfUser, type MemberWorkspace } from '../storage/accounts/users.ts';
import { listAnswer, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { type Route, route } from './route.ts';

const PATH = '/api/advertiser/workspaces';
const SESSION = { kind: 'session', permission: null } as const;

export const workspaceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: SESSION,
    handle: async (runtime, { caller: { user }, request }) => {
      const page = readPage(request.query);
      if (isRejection(page)) return page;
      const all = await listWorkspacesOfUser(runtime.engine.read, user.id);
      const rows = all.slice(page.offset, page.offset + page.limit);
      return listAnswer(rows.map(workspaceRow), page, all.length);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    access: SESSION,
    handle: async (runtime, { caller: { user }, body }) => {
      const input = parseBody(createWorkspaceRequest, body);
      if (isRejection(input)) return input;
      const workspace = await createWorkspace(runtime, { name: input.name, ownerId: user.id });
      return { status: 201, body: { success: true, data: workspaceRow(workspace) } };
    },
  }),
];

function workspaceRow(workspace: MemberWorkspace) {
  const { id, name, role, createdAt } = workspace;
  return { id, name, role, created_at: isoTime(createdAt) };
}
