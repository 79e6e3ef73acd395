import { setTimeout as wait } from 'node:timers/promises';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { endIdentities } from '../storage/accounts/identities.ts';
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

interface Try {
  readonly email: string;
  readonly password: string;
  /** Null when unknown, or shared by everyone: then nobody is locked out, and the e-mail is slowed alone. */
  readonly ip: string | null;
}

/**
 * Starts a session. A wrong pair takes as long as a right one, whether or not the user exists. A try counts as
 * failed until it is found right, so that tries sent at once cost and learn no more than tries in a row.
 * @param sleep slows tries on an e-mail that failed too often
 */
export function logIn(
  runtime: Runtime,
  input: Try,
  sleep: (ms: number) => Promise<unknown> = wait,
): Promise<SignedIn | Rejection> {
  return withPassword(runtime, input, null, sleep);
}

/** Sets a new password for who knows the present one. Every session of the user ends; a new one starts. */
export function changePassword(
  runtime: Runtime,
  input: Try & { readonly newPassword: string },
): Promise<SignedIn | Rejection> {
  return withPassword(runtime, input, input.newPassword, wait);
}

/**
 * Ends the session; its token is refused from then on. For a session of the outside identity provider every token
 * that it has given the user so far is refused.
 */
export function logOut(
  runtime: Runtime,
  session: Pick<SessionActor, 'sessionId' | 'outsideIssuedAt' | 'user'>,
): Promise<void> {
  const { sessionId, outsideIssuedAt, user } = session;
  // The provider's clock may be ahead of ours.
  const endedAt = Math.max(runtime.now(), outsideIssuedAt ?? 0);
  return runtime.engine.write(ACCOUNTS_LANE, (tx) =>
    sessionId === null ? endIdentities(tx, user.id, endedAt) : deleteSession(tx, sessionId),
  );
}

/** Starts a session for a right pair, with a new password where one is given, in one transaction. */
function withPassword(
  runtime: Runtime,
  input: Try,
  newPassword: string | null,
  sleep: (ms: number) => Promise<unknown>,
): Promise<SignedIn | Rejection> {
  const email = input.email.trim().toLowerCase();
  const subject = loginSubject(runtime.secret, email, input.ip);
  const attempt = () =>
    tryPassword(runtime, subject, { email, password: input.password, newPassword }, sleep);
  // One after the other, a right try never stands in the way of another that is right.
  return subject.ipHash === null ? attempt() : inTurn(`${subject.emailHash}:${subject.ipHash}`, attempt);
}

async function tryPassword(
  runtime: Runtime,
  subject: LoginSubject,
  input: { readonly email: string; readonly password: string; readonly newPassword: string | null },
  sleep: (ms: number) => Promise<unknown>,
): Promise<SignedIn | Rejection> {
  const { engine } = runtime;
  const verdict = await countTry(runtime, subject);
  if (verdict.kind === 'refused') {
    const { retryAfterSeconds } = verdict;
    return new Rejection('login_rate_limited', undefined, { retryAfterSeconds });
  }
  if (verdict.delayMs > 0) await sleep(verdict.delayMs);

  const user = await findUserByEmail(engine.read, input.email);
  const matches = await isPassword(user?.passwordHash ?? null, input.password);
  if (user === null || !matches) return new Rejection('invalid_login');
  const newHash = input.newPassword === null ? null : await hashPassword(input.newPassword);
  const session = await engine.write(ACCOUNTS_LANE, async (tx) => {
    // A password that was changed meanwhile, which ended the sessions, must not open one.
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

/** Counts a try as failed, unless it is refused: over all processes, no more than the limits are let through. */
function countTry(runtime: Runtime, subject: LoginSubject): Promise<LoginVerdict> {
  const at = runtime.now();
  const since = at - FAILURE_WINDOW_MS;
  return runtime.engine.write(ACCOUNTS_LANE, async (tx) => {
    await lockLoginFailures(tx, subject);
    const verdict = decideLogin(await listRecentFailures(tx.db, subject, since, FAILURE_LIMITS), at);
    if (verdict.kind === 'allowed') await insertLoginFailure(tx, subject, at, since);
    return verdict;
  });
}

const turns = new Map<string, Promise<unknown>>();

/** Runs what has the same key one after the other, within this process. */
async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(key) ?? Promise.resolve()).then(work);
  const ended = turn.catch(() => {});
  turns.set(key, ended);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === ended) turns.delete(key);
  }
}
