import { createHmac, type KeyObject } from 'node:crypto';
import type { LoginSubject, RecentFailures } from '../storage/accounts/login-failures.ts';
import { deriveKey } from './derive-key.ts';
import { networkOf } from './network.ts';

export const FAILURE_WINDOW_MS: number = 15 * 60 * 1000;
/**
 * The delay of an attempt after too many failures of its email address. A delay, unlike a block, cannot lock
 * the owner out.
 */
const EMAIL_DELAY_MS = 1000;

/**
 * Number of failures within the window after which attempts are blocked (`pair` of email address and IP,
 * `ip`) or delayed (`email`).
 */
export const FAILURE_LIMITS = { pair: 10, ip: 50, email: 10 } as const;

/** Hashes the email address and the IP with a key, so that stored failures reveal neither. */
export function loginSubject(secret: KeyObject, email: string, ip: string | null): LoginSubject {
  const key = deriveKey(secret, 'login-failure');
  const hmac = (kind: string, text: string) =>
    createHmac('sha256', key).update(`${kind}:${text}`).digest('hex');
  return { emailHash: hmac('email', email), ipHash: ip === null ? null : hmac('ip', networkOf(ip)) };
}

/** Whether a login attempt may proceed, and after which delay. If not, when the client may retry. */
export type LoginVerdict =
  | { readonly kind: 'blocked'; readonly retryAfterSeconds: number }
  | { readonly kind: 'allowed'; readonly delayMs: number };

/** Decides whether another login attempt may proceed after the recent failures. */
export function decideLogin(failures: RecentFailures, now: number): LoginVerdict {
  const blockedUntil = Math.max(
    endOfBlock(failures.ofPair, FAILURE_LIMITS.pair),
    endOfBlock(failures.ofIp, FAILURE_LIMITS.ip),
  );
  if (blockedUntil > now)
    return { kind: 'blocked', retryAfterSeconds: Math.ceil((blockedUntil - now) / 1000) };
  return { kind: 'allowed', delayMs: failures.ofEmail.length >= FAILURE_LIMITS.email ? EMAIL_DELAY_MS : 0 };
}

/** The first moment at which the window contains fewer than `limit` failures. */
function endOfBlock(newestFirst: readonly number[], limit: number): number {
  const limiting = newestFirst[limit - 1];
  return limiting === undefined ? 0 : limiting + FAILURE_WINDOW_MS;
}
