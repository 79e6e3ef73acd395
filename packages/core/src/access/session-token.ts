import { jwtVerify, SignJWT } from 'jose';
import { DAY_MS, HOUR_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { deriveKey } from './derive-key.ts';

/** The lifetime of a session. Each use of a browser session restarts this period. */
export const SESSION_MS: number = 12 * HOUR_MS;
/** The maximum lifetime of a browser session. */
export const BROWSER_SESSION_MS: number = 14 * DAY_MS;

const JWT_ALGORITHM = 'HS256';
const JWT_ISSUER = 'affkit';

type TokenRuntime = Pick<Runtime, 'secret' | 'now'>;

/**
 * Signs the JWT of a session. The JWT is valid only while the session's row exists.
 * @param session `id` is the row's `token_id`
 */
export function signSessionToken(
  runtime: TokenRuntime,
  session: { readonly id: string; readonly userId: number; readonly expiresAt: number },
): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: JWT_ALGORITHM })
    .setIssuer(JWT_ISSUER)
    .setSubject(String(session.userId))
    .setJti(session.id)
    .setIssuedAt(Math.floor(runtime.now() / 1000))
    .setExpirationTime(Math.floor(session.expiresAt / 1000))
    .sign(deriveKey(runtime.secret, 'session'));
}

/** Returns the session's id in a valid JWT of Affkit, or null for any other text. */
export async function readSessionToken(runtime: TokenRuntime, token: string): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, deriveKey(runtime.secret, 'session'), {
      algorithms: [JWT_ALGORITHM],
      issuer: JWT_ISSUER,
      currentDate: new Date(runtime.now()),
    });
    return payload.jti ?? null;
  } catch {
    return null;
  }
}
