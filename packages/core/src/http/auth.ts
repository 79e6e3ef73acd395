import {
  acceptInviteRequest,
  changePasswordRequest,
  confirmPasswordResetRequest,
  inviteRequest,
  loginRequest,
  requestPasswordResetRequest,
  updateMeRequest,
} from '@affkit/protocol';
import type { SessionActor } from '../access/actor.ts';
import { changePassword, logIn, logOut } from '../access/login.ts';
import { confirmPasswordReset, requestPasswordReset } from '../access/password-reset.ts';
import { permissionsOf } from '../access/permission.ts';
import { resolveAccess } from '../access/resolve-access.ts';
import type { SignedInSession } from '../access/session.ts';
import { redeemSignInCode } from '../access/sign-in-code.ts';
import { isoTime } from '../domain/calendar.ts';
import { acceptInvite } from '../management/accept-invite.ts';
import { findOpenInvite } from '../management/invitation.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { listPartnersOfUser, SERVICE_LANE, updateUserName } from '../storage/accounts/users.ts';
import { findWorkspaceName, listWorkspacesOfUser } from '../storage/accounts/workspaces.ts';
import { deviceCookie, readDeviceTokens } from './device-cookie.ts';
import type { HttpRequest } from './message.ts';
import { type Reply, type Route, route } from './route.ts';
import {
  checkOwnOrigin,
  clearedSessionCookie,
  readCredentials,
  sessionClient,
  sessionCookie,
} from './session-cookie.ts';

const ANY_SESSION_ROUTE_ACCESS = { kind: 'session', permission: null, temporaryPassword: true } as const;

export const authRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/auth/login',
    access: { kind: 'public' },
    limiter: 'passwords',
    body: loginRequest,
    handle: async (runtime, { body, request }) => {
      const rejection = body.cookie ? checkOwnOrigin(runtime, request) : null;
      if (rejection !== null) return rejection;
      const client = sessionClient(request, body.cookie === true);
      const signedIn =
        'code' in body
          ? await redeemSignInCode(runtime, body.code, client)
          : await logIn(runtime, {
              email: body.email,
              password: body.password,
              client,
              ip: request.ip,
              deviceTokens: readDeviceTokens(request),
            });
      return isRejection(signedIn) ? signedIn : replyWithSession(runtime, request, signedIn);
    },
  }),
  route({
    method: 'GET',
    path: '/api/auth/me',
    access: ANY_SESSION_ROUTE_ACCESS,
    handle: async (runtime, { caller: { user } }) => {
      const workspaces = await listWorkspacesOfUser(runtime.engine.read, user.id);
      const partners = await listPartnersOfUser(runtime.engine.read, user.id);
      return {
        body: {
          success: true,
          user,
          workspaces: workspaces.map(({ id, name, role }) => {
            return { id, name, role, permissions: permissionsOf(role) };
          }),
          partners: partners.map(({ id, name, workspaceId }) => ({ id, name, workspace_id: workspaceId })),
        },
      };
    },
  }),
  route({
    method: 'PUT',
    path: '/api/auth/me',
    access: { kind: 'session', permission: null },
    body: updateMeRequest,
    handle: async ({ engine }, { caller: { user }, body: { name } }) => {
      await engine.write(SERVICE_LANE, (tx) => updateUserName(tx, user.id, name));
      return { body: { success: true, user: { ...user, name } } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/logout',
    access: ANY_SESSION_ROUTE_ACCESS,
    handle: async (runtime, { caller, request }) => {
      await logOut(runtime, caller);
      return {
        ...(caller.isBrowser && { cookies: [clearedSessionCookie(runtime, request)] }),
        body: { success: true },
      };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/password',
    access: ANY_SESSION_ROUTE_ACCESS,
    limiter: 'passwords',
    body: changePasswordRequest,
    handle: async (runtime, { caller, body, request }) => {
      const rejection = body.cookie ? checkOwnOrigin(runtime, request) : null;
      if (rejection !== null) return rejection;
      const { password, new_password: newPassword, cookie } = body;
      // A page with a browser session must never receive a token.
      const client = sessionClient(request, caller.isBrowser || cookie === true);
      const signedIn = await changePassword(runtime, caller, { password, newPassword, client });
      return isRejection(signedIn) ? signedIn : replyWithSession(runtime, request, signedIn);
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/password-reset',
    access: { kind: 'public' },
    limiter: 'passwords',
    body: requestPasswordResetRequest,
    handle: async (runtime, { body, request }) => {
      const delivery = await requestPasswordReset(runtime, { email: body.email, ip: request.ip });
      return isRejection(delivery) ? delivery : { body: { success: true, delivery } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/password-reset/confirm',
    // No session is required, because the code is the credential.
    access: { kind: 'public' },
    limiter: 'passwords',
    body: confirmPasswordResetRequest,
    handle: async (runtime, { body, request }) => {
      const rejection = body.cookie ? checkOwnOrigin(runtime, request) : null;
      if (rejection !== null) return rejection;
      const confirmed = await confirmPasswordReset(runtime, {
        code: body.token,
        password: body.password,
        browser: body.cookie ? sessionClient(request, true) : null,
        ip: request.ip,
      });
      if (isRejection(confirmed)) return confirmed;
      const { user, signedIn } = confirmed;
      if (signedIn === null) return { body: { success: true, user } };
      return replyWithSession(runtime, request, signedIn);
    },
  }),
  route({
    // The token is in the body, because URLs appear in logs.
    method: 'POST',
    path: '/api/auth/invite',
    access: { kind: 'public' },
    body: inviteRequest,
    handle: async (runtime, { body }) => {
      const invitation = await findOpenInvite(runtime, body.token);
      if (isRejection(invitation)) return invitation;
      const { kind, email, name, role } = invitation.invited;
      const workspaceName = await findWorkspaceName(runtime.engine.read, invitation.invite.workspaceId);
      return { body: { success: true, data: { kind, email, name, workspace_name: workspaceName, role } } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/auth/accept-invite',
    // The invitation token is the credential. The session is optional, so the handler looks it up.
    access: { kind: 'public' },
    limiter: 'passwords',
    body: acceptInviteRequest,
    handle: async (runtime, { body, request, requestId }) => {
      const rejection = body.cookie ? checkOwnOrigin(runtime, request) : null;
      if (rejection !== null) return rejection;
      const session = await findCurrentSession(runtime, request);
      if (isRejection(session)) return session;
      const { user: caller = null, sessionId = null } = session ?? {};
      const client = sessionClient(request, body.cookie === true);
      const { password, current_password: currentPassword } = body;
      const invitee = { user: caller, sessionId, client, password, currentPassword, requestId };
      const accepted = await acceptInvite(runtime, body.token, invitee);
      if (isRejection(accepted)) return accepted;
      const { user, signedIn } = accepted;
      if (signedIn === null) return { body: { success: true, user } };
      return replyWithSession(runtime, request, signedIn);
    },
  }),
];

/** Returns the session of the request, or null if the request has no credentials. */
async function findCurrentSession(
  runtime: Runtime,
  request: HttpRequest,
): Promise<SessionActor | Rejection | null> {
  const credentials = readCredentials(runtime, request);
  const { authorization, cookie } = credentials;
  if (authorization === undefined && cookie === undefined) return null;
  const session = await resolveAccess(runtime, ANY_SESSION_ROUTE_ACCESS, credentials, {});
  // The scripts of the page cannot delete the session cookie, so a browser may still send the cookie of an ended
  // session. Such a cookie must not fail the request.
  const hasEnded = isRejection(session) && session.code === 'unauthenticated' && cookie !== undefined;
  return hasEnded ? null : session;
}

function replyWithSession(runtime: Runtime, request: HttpRequest, signedIn: SignedInSession): Reply {
  const { token, expiresAt, renewableUntil, user, deviceToken, mustChangePassword } = signedIn;
  const isBrowser = renewableUntil !== null;
  const device = deviceToken === null ? null : deviceCookie(request, deviceToken);
  const cookies = [
    ...(device === null ? [] : [device]),
    ...(isBrowser ? [sessionCookie(runtime, request, signedIn)] : []),
  ];
  return {
    ...(cookies.length > 0 && { cookies }),
    body: {
      success: true,
      ...(!isBrowser && { token }),
      expires_at: isoTime(expiresAt),
      user,
      ...(mustChangePassword && { password_change_required: true }),
    },
  };
}
