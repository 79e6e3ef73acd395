import { createHmac, type KeyObject } from 'node:crypto';
import type { LoginSubject, RecentFailures } from '../storage/accounts/login-failures.ts';
import { deriveKey } from './derive-key.ts';
import { networkOf } from './network.ts';

export const FAILURE_WINDOW_MS: number = 15 * 60 * 1000;
/** Waited once an e-mail alone has failed too often: its owner is slowed by others, never locked out. */
const SLOWED_MS = 1000;

/** Failures within the window from which on a sign-in is refused (pair, ip) or slowed (email). */
export const FAILURE_LIMITS = { pair: 10, ip: 50, email: 10 } as const;

/** Keyed hashes, so that the stored failures name neither the address nor the IP. */
export function loginSubject(secret: KeyObject, email: string, ip: string | null): LoginSubject {
  const key = deriveKey(secret, 'login-failure');
  const hmac = (kind: string, text: string) =>
    createHmac('sha256', key).update(`${kind}:${text}`).digest('hex');
  return { emailHash: hmac('email', email), ipHash: ip === null ? null : hmac('ip', networkOf(ip)) };
}

/** What the failures so far mean for the next try. */
export type LoginVerdict =
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number }
  | { readonly kind: 'allowed'; readonly delayMs: number };

export function decideLogin(failures: RecentFailures, now: number): LoginVerdict {
  const freeAt = Math.max(
    endOfRefusal(failures.ofPair, FAILURE_LIMITS.pair),
    endOfRefusal(failures.ofIp, FAILURE_LIMITS.ip),
  );
  if (freeAt > now) return { kind: 'refused', retryAfterSeconds: Math.ceil((freeAt - now) / 1000) };
  return { kind: 'allowed', delayMs: failures.ofEmail.length >= FAILURE_LIMITS.email ? SLOWED_MS : 0 };
}

/** The instant at which fewer than `limit` of them are left in the window. */
function endOfRefusal(newestFirst: readonly number[], limit: number): number {
  const decisive = newestFirst[limit - 1];
  return decisive === undefined ? 0 : decisive + FAILURE_WINDOW_MS;
}
