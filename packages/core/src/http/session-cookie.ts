import type { SentCredentials } from '../access/credential.ts';
import type { SessionClient, SignedInSession } from '../access/session.ts';
import { BROWSER_SESSION_MS } from '../access/session-token.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { HttpRequest } from './message.ts';

/** Browsers accept a cookie with the prefix `__Host-` only from the host itself, and only over https. */
const SECURE_NAME = '__Host-affkit';
const PLAIN_NAME = 'affkit';

type OriginRuntime = Pick<Runtime, 'publicOrigin'>;
type OriginRequest = Pick<HttpRequest, 'header' | 'secure'>;

/** Reads the credentials of a request. Call it only for routes that accept a session. */
export function readCredentials(
  runtime: OriginRuntime,
  request: OriginRequest & Pick<HttpRequest, 'method'>,
): SentCredentials {
  const authorization = request.header('authorization');
  if (authorization !== undefined) return { authorization };
  const token = readSessionCookie(runtime, request);
  if (token === undefined) return {};
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return { cookie: { token, rejection: isRead ? null : checkOwnOrigin(runtime, request) } };
}

/**
 * Rejects a request that was not sent by a page of this service. Browsers send `Origin` with every request
 * that is not a GET or HEAD, and pages cannot change this header.
 */
export function checkOwnOrigin(runtime: OriginRuntime, request: OriginRequest): Rejection | null {
  const own = ownOriginOf(runtime, request);
  if (own !== null && request.header('origin') === own) return null;
  return new Rejection(
    'origin_mismatch',
    `Browser sessions work only on pages of ${own ?? 'the URL in PUBLIC_URL'}. Open that URL. If the service has a different URL, set PUBLIC_URL, or the option publicUrl, to it.`,
  );
}

/** @param isBrowser whether the session's token will be stored in a cookie */
export function sessionClient(request: OriginRequest, isBrowser: boolean): SessionClient {
  return { userAgent: request.header('user-agent') ?? '', isBrowser };
}

/** The `Set-Cookie` header of a browser session. The server may end the session before the cookie expires. */
export function sessionCookie(
  runtime: OriginRuntime,
  request: OriginRequest,
  { token }: Pick<SignedInSession, 'token'>,
): string {
  return makeCookie(runtime, request, token, BROWSER_SESSION_MS / 1000);
}

/** The `Set-Cookie` header that deletes the cookie of a browser session. */
export function clearedSessionCookie(runtime: OriginRuntime, request: OriginRequest): string {
  return makeCookie(runtime, request, '', 0);
}

function makeCookie(
  runtime: OriginRuntime,
  request: OriginRequest,
  value: string,
  maxAgeSeconds: number,
): string {
  const isSecure = usesHttps(runtime, request);
  const name = isSecure ? SECURE_NAME : PLAIN_NAME;
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

function readSessionCookie(runtime: OriginRuntime, request: OriginRequest): string | undefined {
  return readCookie(request, usesHttps(runtime, request) ? SECURE_NAME : PLAIN_NAME);
}

/** Returns the value of a cookie, or undefined if the request does not have the cookie. */
export function readCookie(request: Pick<HttpRequest, 'header'>, name: string): string | undefined {
  const header = request.header('cookie');
  if (header === undefined) return undefined;
  const prefix = `${name}=`;
  const cookies = header.split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
}

/** The origin under which browsers reach the service, or null if it is unknown. */
function ownOriginOf({ publicOrigin }: OriginRuntime, request: OriginRequest): string | null {
  if (publicOrigin !== null) return publicOrigin;
  const host = request.header('host');
  const url = `${request.secure ? 'https' : 'http'}://${host}`;
  return host !== undefined && URL.canParse(url) ? new URL(url).origin : null;
}

/** Whether browsers reach the service over https. */
export function usesHttps({ publicOrigin }: OriginRuntime, { secure }: OriginRequest): boolean {
  return publicOrigin === null ? secure : publicOrigin.startsWith('https:');
}
