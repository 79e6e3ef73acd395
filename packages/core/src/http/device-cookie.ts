import { DEVICE_MS } from '../access/known-device.ts';
import type { HttpRequest } from './message.ts';

const DEVICE_COOKIE_NAME = 'affkit_device';

/**
 * The `Set-Cookie` header that makes the browser a known device of the user who just signed in. Returns null
 * for a request from another site. Without this check, an attacker's site could submit a form that signs in
 * to the attacker's account and so replaces the visitor's cookie.
 */
export function deviceCookie(
  request: Pick<HttpRequest, 'basePath' | 'secure' | 'header'>,
  deviceToken: string,
): string | null {
  if (request.header('sec-fetch-site') === 'cross-site') return null;
  const path = `${request.basePath ?? ''}/api/auth`;
  const secure = request.secure ? '; Secure' : '';
  return `${DEVICE_COOKIE_NAME}=${deviceToken}; Path=${path}; Max-Age=${DEVICE_MS / 1000}; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the device tokens in the request's cookies. */
export function readDeviceTokens(request: Pick<HttpRequest, 'header'>): string[] {
  const cookies = request.header('cookie')?.split(';') ?? [];
  const prefix = `${DEVICE_COOKIE_NAME}=`;
  return cookies.flatMap((cookie) => {
    const text = cookie.trim();
    return text.startsWith(prefix) ? [text.slice(prefix.length)] : [];
  });
}
