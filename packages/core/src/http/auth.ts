import { loginRequest } from '@affkit/protocol';
import { logIn, logOut } from '../access/login.ts';
import { isRejection } from '../rejection.ts';
import { listPartnersOfUser, listWorkspacesOfUser } from '../storage/people.ts';
import { isoTime } from './fields.ts';
import { parseBody } from './parse.ts';
import { type Route, route } from './route.ts';

const SESSION = { kind: 'session' } as const;

export const authRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/auth/login',
    access: { kind: 'public' },
    handle: async (runtime, { body, request }) => {
      const input = parseBody(loginRequest, body);
      if (isRejection(input)) return input;
      const signedIn = await logIn(runtime, { ...input, ip: request.ip });
      if (isRejection(signedIn)) return signedIn;
      const { token, expiresAt, user } = signedIn;
      return { body: { success: true, token, expires_at: isoTime(expiresAt), user } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/auth/me',
    access: SESSION,
    handle: async (runtime, { caller: { user } }) => {
      const workspaces = await listWorkspacesOfUser(runtime.engine.read, user.id);
      const partners = await listPartnersOfUser(runtime.engine.read, user.id);
      return {
        body: {
          success: true,
          user,
          workspaces: workspaces.map(({ id, name, role }) => ({ id, name, role })),
          partners,
        },
      };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/logout',
    access: SESSION,
    handle: async (runtime, { caller }) => {
      await logOut(runtime, caller.sessionId);
      return { body: { success: true } };
    },
  }),
];
