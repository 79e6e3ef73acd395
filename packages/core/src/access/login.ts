import { setTimeout as wait } from 'node:timers/promises';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  deleteLoginFailures,
  insertLoginFailure,
  type LoginSubject,
  listRecentFailures,
} from '../storage/login-failures.ts';
import { findUserByEmail, PEOPLE_LANE, type User } from '../storage/people.ts';
import { deleteSession, insertSession } from '../storage/sessions.ts';
import { decideLogin, FAILURE_LIMITS, FAILURE_WINDOW_MS, loginSubject } from './login-limit.ts';
import { isPassword } from './password.ts';
import { SESSION_MS, signSessionToken } from './session-token.ts';

export interface SignedIn {
  readonly token: string;
  readonly expiresAt: number;
  readonly user: User;
}

/**
 * Starts a session. A wrong pair takes as long as a right one, whether or not the user exists. The failures are
 * counted again when the outcome is stored, so that tries sent at once learn no more than tries in a row.
 * @param ip null when unknown; all such tries then share one count
 * @param sleep slows tries on an e-mail that failed too often
 */
export async function logIn(
  runtime: Runtime,
  input: { readonly email: string; readonly password: string; readonly ip: string | null },
  sleep: (ms: number) => Promise<unknown> = wait,
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
  const session = {
    id: Buffer.from(runtime.randomBytes(24)).toString('base64url'),
    expiresAt: at + SESSION_MS,
  };
  const outcome = await engine.write(PEOPLE_LANE, async (tx) => {
    const again = decideLogin(await failuresOf(tx.db, subject, at), at);
    if (again.kind === 'refused') return rateLimited(again.retryAfterSeconds);
    if (user === null || !matches) {
      await insertLoginFailure(tx, subject, at, at - FAILURE_WINDOW_MS);
      return new Rejection('invalid_login');
    }
    await deleteLoginFailures(tx, subject);
    await insertSession(tx, { ...session, userId: user.id, at });
    return { id: user.id, email: user.email, name: user.name };
  });
  if (outcome instanceof Rejection) return outcome;
  const token = await signSessionToken(runtime, { ...session, userId: outcome.id });
  return { token, expiresAt: session.expiresAt, user: outcome };
}

/** Ends the session; its token is refused from then on. */
export function logOut(runtime: Runtime, sessionId: string): Promise<void> {
  return runtime.engine.write(PEOPLE_LANE, (tx) => deleteSession(tx, sessionId));
}

function failuresOf(db: Parameters<typeof listRecentFailures>[0], subject: LoginSubject, at: number) {
  return listRecentFailures(db, subject, at - FAILURE_WINDOW_MS, FAILURE_LIMITS);
}

function rateLimited(retryAfterSeconds: number): Rejection {
  return new Rejection('login_rate_limited', undefined, { retryAfterSeconds });
}
