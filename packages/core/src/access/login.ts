import { setTimeout as wait } from 'node:timers/promises';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { endIdentities } from '../storage/identities.ts';
import {
  deleteLoginFailures,
  insertLoginFailure,
  type LoginSubject,
  listRecentFailures,
} from '../storage/login-failures.ts';
import {
  findUserByEmail,
  hasPasswordHash,
  PEOPLE_LANE,
  type User,
  updatePasswordHash,
} from '../storage/people.ts';
import { deleteSession } from '../storage/sessions.ts';
import { decideLogin, FAILURE_LIMITS, FAILURE_WINDOW_MS, loginSubject } from './login-limit.ts';
import { hashPassword, isPassword } from './password.ts';
import { endSessions, openSession, type SignedIn, toSignedIn } from './session.ts';

interface Try {
  readonly email: string;
  readonly password: string;
  /** Null when unknown; all such tries then share one count. */
  readonly ip: string | null;
}

/**
 * Starts a session. A wrong pair takes as long as a right one, whether or not the user exists. The failures are
 * counted again when the outcome is stored, so that tries sent at once learn no more than tries in a row.
 * @param sleep slows tries on an e-mail that failed too often
 */
export function logIn(
  runtime: Runtime,
  input: Try,
  sleep: (ms: number) => Promise<unknown> = wait,
): Promise<SignedIn | Rejection> {
  return withPassword(runtime, input, sleep, async () => {});
}

/** Sets a new password for who knows the present one. Every session of the user ends; a new one starts. */
export async function changePassword(
  runtime: Runtime,
  input: Try & { readonly newPassword: string },
  sleep: (ms: number) => Promise<unknown> = wait,
): Promise<SignedIn | Rejection> {
  const newHash = await hashPassword(input.newPassword);
  return await withPassword(runtime, input, sleep, async (tx, user) => {
    await updatePasswordHash(tx, user.id, newHash);
    await endSessions(tx, runtime, user.id);
  });
}

/**
 * Ends the session; its token is refused from then on. For a session of the outside identity provider every token
 * that it has given the user so far is refused.
 */
export function logOut(
  runtime: Runtime,
  session: { readonly sessionId: string | null; readonly user: Pick<User, 'id'> },
): Promise<void> {
  const { sessionId, user } = session;
  return runtime.engine.write(PEOPLE_LANE, (tx) =>
    sessionId === null ? endIdentities(tx, user.id, runtime.now()) : deleteSession(tx, sessionId),
  );
}

/** Does `work` for the user of a right pair and starts a session, in one transaction. */
async function withPassword(
  runtime: Runtime,
  input: Try,
  sleep: (ms: number) => Promise<unknown>,
  work: (tx: Transaction, user: User) => Promise<void>,
): Promise<SignedIn | Rejection> {
  const { engine, now } = runtime;
  const email = input.email.trim().toLowerCase();
  const subject = loginSubject(runtime.secret, email, input.ip);
  const verdict = decideLogin(await failuresOf(engine.read, subject, now()), now());
  if (verdict.kind === 'refused') return rateLimited(verdict.retryAfterSeconds);
  if (verdict.delayMs > 0) await sleep(verdict.delayMs);

  const user = await findUserByEmail(engine.read, email);
  const matches = await isPassword(user?.passwordHash ?? null, input.password);

  const at = now();
  const outcome = await engine.write(PEOPLE_LANE, async (tx) => {
    const again = decideLogin(await failuresOf(tx.db, subject, at), at);
    if (again.kind === 'refused') return rateLimited(again.retryAfterSeconds);
    // A password that was changed meanwhile, which ended the sessions, must not open one.
    if (user === null || !matches || !(await hasPasswordHash(tx, user.id, user.passwordHash))) {
      await insertLoginFailure(tx, subject, at, at - FAILURE_WINDOW_MS);
      return new Rejection('invalid_login');
    }
    await deleteLoginFailures(tx, subject);
    await work(tx, user);
    return { session: await openSession(tx, runtime, user.id), user };
  });
  return isRejection(outcome) ? outcome : await toSignedIn(runtime, outcome.session, outcome.user);
}

function failuresOf(db: Parameters<typeof listRecentFailures>[0], subject: LoginSubject, at: number) {
  return listRecentFailures(db, subject, at - FAILURE_WINDOW_MS, FAILURE_LIMITS);
}

function rateLimited(retryAfterSeconds: number): Rejection {
  return new Rejection('login_rate_limited', undefined, { retryAfterSeconds });
}
