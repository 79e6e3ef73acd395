import { acceptInviteRequest, changePasswordRequest, loginRequest } from '@affkit/protocol';
import { changePassword, logIn, logOut } from '../access/login.ts';
import { resolveAccess } from '../access/resolve-access.ts';
import type { SignedInSession } from '../access/session.ts';
import { isoTime } from '../domain/calendar.ts';
import { acceptInvite } from '../management/accept-invite.ts';
import { isRejection } from '../rejection.ts';
import { listPartnersOfUser, listWorkspacesOfUser } from '../storage/accounts/users.ts';
import { deviceCookie, readDeviceTokens } from './device-cookie.ts';
import type { HttpRequest } from './message.ts';
import { type Reply, type Route, route } from './route.ts';

const SESSION = { kind: 'session', permission: null, temporaryPassword: true } as const;

export const authRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/auth/login',
    access: { kind: 'public' },
    limiter: 'passwords',
    body: loginRequest,
    handle: async (runtime, { body, request }) => {
      const deviceTokens = readDeviceTokens(request);
      const signedIn = await logIn(runtime, { ...body, ip: request.ip, deviceTokens });
      return isRejection(signedIn) ? signedIn : replyWithSession(request, signedIn);
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
          partners: partners.map(({ id, name, workspaceId }) => ({ id, name, workspace_id: workspaceId })),
        },
      };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/logout',
    access: SESSION,
    handle: async (runtime, { caller }) => {
      await logOut(runtime, caller);
      return { body: { success: true } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/password',
    access: SESSION,
    limiter: 'passwords',
    body: changePasswordRequest,
    handle: async (runtime, { caller, body, request }) => {
      const { password, new_password: newPassword } = body;
      const signedIn = await changePassword(runtime, caller, { password, newPassword });
      return isRejection(signedIn) ? signedIn : replyWithSession(request, signedIn);
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/accept-invite',
    // The invitation token is the credential. A session is optional, so the handler resolves it.
    access: { kind: 'public' },
    limiter: 'passwords',
    body: acceptInviteRequest,
    handle: async (runtime, { body, request, requestId }) => {
      const header = request.header('authorization');
      const session = header === undefined ? null : await resolveAccess(runtime, SESSION, header, {});
      if (isRejection(session)) return session;
      const { user: caller = null, sessionId = null } = session ?? {};
      const invitee = { user: caller, sessionId, password: body.password, requestId };
      const accepted = await acceptInvite(runtime, body.token, invitee);
      if (isRejection(accepted)) return accepted;
      const { user, signedIn } = accepted;
      return signedIn === null ? { body: { success: true, user } } : replyWithSession(request, signedIn);
    },
  }),
];

function replyWithSession(request: HttpRequest, signedIn: SignedInSession): Reply {
  const { token, expiresAt, user, deviceToken, mustChangePassword } = signedIn;
  const cookie = deviceCookie(request, deviceToken);
  return {
    ...(cookie !== null && { headers: { 'set-cookie': cookie } }),
    body: {
      success: true,
      token,
      expires_at: isoTime(expiresAt),
      user,
      ...(mustChangePassword && { password_change_required: true }),
    },
  };
}
