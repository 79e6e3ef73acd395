import { pageQuery } from '@affkit/protocol';
import { endOtherSessions, endSession } from '../access/session.ts';
import { isoTime } from '../domain/calendar.ts';
import { isRejection } from '../rejection.ts';
import { listSessions, type Session } from '../storage/accounts/sessions.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, route } from './route.ts';
import { clearedSessionCookie } from './session-cookie.ts';

const SESSIONS_PATH = '/api/auth/sessions';
const SESSION_ROUTE_ACCESS = { kind: 'session', permission: null } as const;

export const sessionRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: SESSIONS_PATH,
    access: SESSION_ROUTE_ACCESS,
    query: pageQuery,
    handle: async (runtime, { caller, query }) => {
      const user = { userId: caller.user.id, now: runtime.now() };
      const { sessions, total } = await listSessions(runtime.engine.read, user, rowRangeOf(query));
      return replyWithList(
        sessions.map((session) => toSessionReply(session, caller.sessionId)),
        query,
        total,
      );
    },
  }),
  route({
    method: 'DELETE',
    path: SESSIONS_PATH,
    access: SESSION_ROUTE_ACCESS,
    handle: async (runtime, { caller }) => {
      await endOtherSessions(runtime, caller);
      return { body: { success: true } };
    },
  }),
  route({
    method: 'DELETE',
    path: `${SESSIONS_PATH}/:id`,
    access: SESSION_ROUTE_ACCESS,
    handle: async (runtime, { caller, params, request }) => {
      const rejection = await endSession(runtime, caller, params.id);
      if (isRejection(rejection)) return rejection;
      const isOwnCookie = caller.isBrowser && caller.sessionId === params.id;
      return {
        ...(isOwnCookie && { cookies: [clearedSessionCookie(runtime, request)] }),
        body: { success: true },
      };
    },
  }),
];

/** @param currentId the session of the request */
export function toSessionReply(session: Session, currentId: number | null) {
  return {
    id: session.id,
    kind: session.renewableUntil === null ? 'token' : 'browser',
    device: session.device,
    current: session.id === currentId,
    created_at: isoTime(session.createdAt),
    last_used_at: isoTime(session.lastUsedAt),
    expires_at: isoTime(session.expiresAt),
  };
}
