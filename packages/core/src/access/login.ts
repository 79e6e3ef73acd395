import { setTimeout as wait } from 'node:timers/promises';
import { normalizeEmail } from '../domain/email.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { invalidateIdentityTokens } from '../storage/accounts/identities.ts';
import {
  deleteLoginFailures,
  insertLoginFailure,
  type LoginSubject,
  listRecentFailures,
  lockLoginFailures,
} from '../storage/accounts/login-failures.ts';
import { deleteSession } from '../storage/accounts/sessions.ts';
import {
  ACCOUNTS_LANE,
  findUserByEmail,
  hasPasswordHash,
  updatePasswordHash,
} from '../storage/accounts/users.ts';
import type { SessionActor } from './actor.ts';
import {
  decideLogin,
  FAILURE_LIMITS,
  FAILURE_WINDOW_MS,
  type LoginVerdict,
  loginSubject,
} from './login-limit.ts';
import { hashPassword, isPassword } from './password.ts';
import { endSessions, openSession, type SignedIn, toSignedIn } from './session.ts';

interface LoginAttempt {
  readonly email: string;
  readonly password: string;
  /**
   * Null when unknown or shared by all clients. Attempts are then delayed per email address, but never
   * blocked.
   */
  readonly ip: string | null;
}

/**
 * Checks an email address and password and starts a session. A wrong pair takes as long as a correct one,
 * whether or not the user exists. Each attempt counts as failed until the password is verified, so that
 * concurrent attempts get no more guesses than sequential ones.
 *
 * @param sleep delays attempts on an email address with too many failures
 * @returns `login_rate_limited` after too many failures, `invalid_login` for a wrong pair
 */
export function logIn(
  runtime: Runtime,
  input: LoginAttempt,
  sleep: (ms: number) => Promise<unknown> = wait,
): Promise<SignedIn | Rejection> {
  return withPassword(runtime, input, null, sleep);
}

/** Sets a new password after checking the current one. All sessions of the user end, and a new one starts. */
export function changePassword(
  runtime: Runtime,
  input: LoginAttempt & { readonly newPassword: string },
): Promise<SignedIn | Rejection> {
  return withPassword(runtime, input, input.newPassword, wait);
}

/**
 * Ends the session, so that its token is rejected from now on. For a token of the external identity provider,
 * every token that the provider has issued to the user so far is rejected.
 */
export function logOut(
  runtime: Runtime,
  session: Pick<SessionActor, 'sessionId' | 'externalIssuedAt' | 'user'>,
): Promise<void> {
  const { sessionId, externalIssuedAt, user } = session;
  // The provider's clock may be ahead of ours.
  const endedAt = Math.max(runtime.now(), externalIssuedAt ?? 0);
  return runtime.engine.write(ACCOUNTS_LANE, (tx) =>
    sessionId === null ? invalidateIdentityTokens(tx, user.id, endedAt) : deleteSession(tx, sessionId),
  );
}

/**
 * Starts a session for a correct pair and, in the same transaction, sets the new password if there is one.
 */
function withPassword(
  runtime: Runtime,
  input: LoginAttempt,
  newPassword: string | null,
  sleep: (ms: number) => Promise<unknown>,
): Promise<SignedIn | Rejection> {
  const email = normalizeEmail(input.email);
  const subject = loginSubject(runtime.secret, email, input.ip);
  const attempt = () =>
    tryPassword(runtime, subject, { email, password: input.password, newPassword }, sleep);
  // Attempts count as failed until they succeed. The attempts of a pair run in sequence. Otherwise several
  // concurrent logins with the correct password could reach the failure limit together.
  return subject.ipHash === null
    ? attempt()
    : runSequentially(`${subject.emailHash}:${subject.ipHash}`, attempt);
}

async function tryPassword(
  runtime: Runtime,
  subject: LoginSubject,
  input: { readonly email: string; readonly password: string; readonly newPassword: string | null },
  sleep: (ms: number) => Promise<unknown>,
): Promise<SignedIn | Rejection> {
  const { engine } = runtime;
  const verdict = await countAttempt(runtime, subject);
  if (verdict.kind === 'blocked') {
    const { retryAfterSeconds } = verdict;
    return new Rejection('login_rate_limited', undefined, { retryAfterSeconds });
  }
  if (verdict.delayMs > 0) await sleep(verdict.delayMs);

  const user = await findUserByEmail(engine.read, input.email);
  const matches = await isPassword(user?.passwordHash ?? null, input.password);
  if (user === null || !matches) return new Rejection('invalid_login');
  const newHash = input.newPassword === null ? null : await hashPassword(input.newPassword);
  const session = await engine.write(ACCOUNTS_LANE, async (tx) => {
    // If the password changed while it was being checked, the old one must not start a session.
    if (!(await hasPasswordHash(tx, user.id, user.passwordHash))) return null;
    await deleteLoginFailures(tx, subject);
    if (newHash !== null) {
      await updatePasswordHash(tx, user.id, newHash);
      await endSessions(tx, runtime, user.id);
    }
    return await openSession(tx, runtime, user.id);
  });
  return session ? await toSignedIn(runtime, session, user) : new Rejection('invalid_login');
}

/** Counts the attempt as failed unless it is blocked. A lock makes the limits hold across all processes. */
function countAttempt(runtime: Runtime, subject: LoginSubject): Promise<LoginVerdict> {
  const at = runtime.now();
  const since = at - FAILURE_WINDOW_MS;
  return runtime.engine.write(ACCOUNTS_LANE, async (tx) => {
    await lockLoginFailures(tx, subject);
    const verdict = decideLogin(await listRecentFailures(tx.db, subject, since, FAILURE_LIMITS), at);
    if (verdict.kind === 'allowed') await insertLoginFailure(tx, subject, at, since);
    return verdict;
  });
}

const lastByKey = new Map<string, Promise<unknown>>();

/** Runs calls with the same key one after another, within this process. */
async function runSequentially<T>(key: string, work: () => Promise<T>): Promise<T> {
  const result = (lastByKey.get(key) ?? Promise.resolve()).then(work);
  const settled = result.catch(() => {});
  lastByKey.set(key, settled);
  try {
    return await result;
  } finally {
    if (lastByKey.get(key) === settled) lastByKey.delete(key);
  }
}
