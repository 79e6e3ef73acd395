import { createHmac, type KeyObject } from 'node:crypto';
import type { CountedAttempt } from '../storage/accounts/login-failures.ts';
import { deriveKey } from './derive-key.ts';
import { networkOf, siteOf } from './network.ts';

export const FAILURE_WINDOW_MS: number = 15 * 60 * 1000;
/** The delay of each attempt after `FAILURES_BEFORE_DELAY` failed attempts with the same email address. */
const EMAIL_DELAY_MS = 1000;
const FAILURES_BEFORE_DELAY = 10;

/**
 * After this many failed attempts within the window, further attempts are blocked. Each limit counts the
 * attempts that share a value, such as the IP address.
 */
export const FAILURE_LIMITS = {
  /** The known device. No other limit applies to attempts from it, so nobody else can lock the user out. */
  device: 10,
  /** The combination of email address and IP address. */
  pair: 10,
  /** The IPv4 address or the IPv6 /64. */
  network: 50,
  /** The IPv6 /48. */
  site: 200,
  /** Shared by all clients whose IP address is unknown. */
  unknown: 500,
  /** The email address, over all IP addresses. Known devices are exempt, so that the user is not locked out. */
  email: 100,
} as const;

type FailureKind = keyof typeof FAILURE_LIMITS | 'program';

interface LoginLimit {
  /**
   * Keyed hash of the value that the counted attempts share, such as the IP address. Because of the key,
   * stored failures reveal neither email nor IP addresses.
   */
  readonly keyHash: string;
  readonly limit: number;
  readonly effect: 'block' | 'delay';
}

export interface LoginSubject extends CountedAttempt {
  readonly limits: readonly LoginLimit[];
  /** Attempts with the same key run one after the other. */
  readonly queueKey: string;
}

type FailureHasher = (kind: FailureKind, text: string) => string;

/** Returns the limits of an attempt to sign in with a password. @param ip null when unknown */
export function loginSubject(secret: KeyObject, email: string, ip: string | null): LoginSubject {
  const hash = hasher(secret, 'login-failure');
  const emailHash = hash('email', email);
  return makeSubject(hash('pair', pairOf(email, ip)), emailHash, [
    limitOf(hash, 'email', email),
    { keyHash: emailHash, limit: FAILURES_BEFORE_DELAY, effect: 'delay' },
    ...pairLimits(hash, email, ip),
    ...clientLimits(hash, ip),
  ]);
}

/**
 * Returns the limits of an attempt without an email address, such as an attempt to use a password reset code. The
 * attempt counts toward the client's sign-in limits.
 */
export function clientSubject(secret: KeyObject, ip: string | null): LoginSubject {
  const hash = hasher(secret, 'login-failure');
  const keyHash = hash('network', clientOf(ip));
  return makeSubject(keyHash, keyHash, clientLimits(hash, ip));
}

/**
 * Returns the limits of a request for a password reset link. Such requests have their own counters, so that
 * they never block a sign-in. There is no limit that counts the requests of all clients for one email
 * address, because anyone could use up that limit and block the requests of the user.
 */
export function resetRequestSubject(secret: KeyObject, email: string, ip: string | null): LoginSubject {
  const hash = hasher(secret, 'reset-request');
  const pairHash = hash('pair', pairOf(email, ip));
  return makeSubject(pairHash, pairHash, [...pairLimits(hash, email, ip), ...clientLimits(hash, ip)]);
}

/**
 * The maximum number of applications within the window. Each limit counts the applications that share a value,
 * such as the IP address or the program.
 */
const APPLICATION_LIMITS = { network: 10, site: 40, unknown: 100, program: 200 } as const;

/**
 * Returns the limits of a client that sends applications. Applications have their own counters, so that they never
 * block a sign-in.
 */
export function applicantSubject(secret: KeyObject, ip: string | null): LoginSubject {
  const hash = hasher(secret, 'application');
  const site = ip === null ? null : siteOf(ip);
  const limits = [
    ip === null ? applicationLimit(hash, 'unknown', '') : applicationLimit(hash, 'network', networkOf(ip)),
    ...(site === null ? [] : [applicationLimit(hash, 'site', site)]),
  ];
  const keyHash = hash('network', clientOf(ip));
  return makeSubject(keyHash, keyHash, limits);
}

/** Returns the limit on the number of applications that a program accepts, no matter which clients send them. */
export function acceptedApplicationSubject(secret: KeyObject, programId: number): LoginSubject {
  const limit = applicationLimit(hasher(secret, 'application'), 'program', String(programId));
  return makeSubject(limit.keyHash, limit.keyHash, [limit]);
}

function applicationLimit(
  hash: FailureHasher,
  kind: keyof typeof APPLICATION_LIMITS,
  text: string,
): LoginLimit {
  return { keyHash: hash(kind, text), limit: APPLICATION_LIMITS[kind], effect: 'block' };
}

/**
 * Returns the limit for checks of a signed-in user's password.
 * @param sessionId null if the user has a token of the external identity provider
 */
export function sessionSubject(secret: KeyObject, sessionId: number | null, userId: number): LoginSubject {
  return deviceSubject(secret, `session ${sessionId ?? `of user ${userId}`}`);
}

/** @param device id of the known device, or of the session in which the password is checked */
export function deviceSubject(secret: KeyObject, device: string): LoginSubject {
  const keyHash = hasher(secret, 'login-failure')('device', device);
  return makeSubject(keyHash, keyHash, [{ keyHash, limit: FAILURE_LIMITS.device, effect: 'block' }]);
}

function makeSubject(attemptHash: string, queueKey: string, limits: readonly LoginLimit[]): LoginSubject {
  const keyHashes = [...new Set(limits.map(({ keyHash }) => keyHash))];
  return { attemptHash, keyHashes, queueKey, limits };
}

function limitOf(hash: FailureHasher, kind: keyof typeof FAILURE_LIMITS, text: string): LoginLimit {
  return { keyHash: hash(kind, text), limit: FAILURE_LIMITS[kind], effect: 'block' };
}

/**
 * The limit of one client for one email address. It requires a known IP address, because all clients with an
 * unknown IP address would share the limit. One client could then block all others.
 */
function pairLimits(hash: FailureHasher, email: string, ip: string | null): LoginLimit[] {
  return ip === null ? [] : [limitOf(hash, 'pair', pairOf(email, ip))];
}

/** The limits of a client over all email addresses. */
function clientLimits(hash: FailureHasher, ip: string | null): LoginLimit[] {
  if (ip === null) return [limitOf(hash, 'unknown', '')];
  const site = siteOf(ip);
  return [limitOf(hash, 'network', networkOf(ip)), ...(site === null ? [] : [limitOf(hash, 'site', site)])];
}

function clientOf(ip: string | null): string {
  return ip === null ? 'unknown' : networkOf(ip);
}

function pairOf(email: string, ip: string | null): string {
  return `${clientOf(ip)} ${email}`;
}

function hasher(secret: KeyObject, label: 'login-failure' | 'reset-request' | 'application'): FailureHasher {
  const key = deriveKey(secret, label);
  return (kind, text) => createHmac('sha256', key).update(`${kind}:${text}`).digest('hex');
}

/**
 * Whether a login attempt may proceed. An allowed attempt must first wait `delayMs`. A blocked attempt may be repeated
 * after `retryAfterSeconds`.
 */
export type LoginVerdict =
  | { readonly kind: 'blocked'; readonly retryAfterSeconds: number }
  | { readonly kind: 'allowed'; readonly delayMs: number };

/**
 * Decides whether another login attempt may proceed after the recent failures.
 *
 * @param limits `reachedAt` is the time of the n-th newest failure, where n is the limit. Null means that the
 * window contains fewer failures.
 */
export function decideLogin(
  limits: readonly (Pick<LoginLimit, 'effect'> & { readonly reachedAt: number | null })[],
  now: number,
): LoginVerdict {
  const endsOf = (effect: LoginLimit['effect']) =>
    limits.flatMap((limit) =>
      limit.effect === effect && limit.reachedAt !== null ? limit.reachedAt + FAILURE_WINDOW_MS : [],
    );
  const blockedUntil = Math.max(0, ...endsOf('block'));
  if (blockedUntil > now)
    return { kind: 'blocked', retryAfterSeconds: Math.ceil((blockedUntil - now) / 1000) };
  return { kind: 'allowed', delayMs: endsOf('delay').some((end) => end > now) ? EMAIL_DELAY_MS : 0 };
}
