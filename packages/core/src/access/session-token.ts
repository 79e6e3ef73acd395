import { jwtVerify, SignJWT } from 'jose';
import type { Runtime } from '../runtime.ts';
import { deriveKey } from './derive-key.ts';

export const SESSION_MS: number = 12 * 60 * 60 * 1000;

const ALGORITHM = 'HS256';
const ISSUER = 'affkit';

type Keyed = Pick<Runtime, 'secret' | 'now'>;

/** The JWT that names a session row; it proves nothing without that row. */
export function signSessionToken(
  runtime: Keyed,
  session: { readonly id: string; readonly userId: number; readonly expiresAt: number },
): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: ALGORITHM })
    .setIssuer(ISSUER)
    .setSubject(String(session.userId))
    .setJti(session.id)
    .setIssuedAt(Math.floor(runtime.now() / 1000))
    .setExpirationTime(Math.floor(session.expiresAt / 1000))
    .sign(deriveKey(runtime.secret, 'session'));
}

/** The session that a token of ours names, or null for any other text. */
export async function readSessionToken(runtime: Keyed, token: string): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, deriveKey(runtime.secret, 'session'), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      currentDate: new Date(runtime.now()),
    });
    return payload.jti ?? null;
  } catch {
    return null;
  }
}
