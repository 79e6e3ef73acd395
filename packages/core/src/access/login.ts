import { setTimeout as wait } from 'node:timers/promises';
import { normalizeEmail } from '../domain/email.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { invalidateIdentityTokens } from '../storage/accounts/identities.ts';
import { deleteLoginFailures } from '../storage/accounts/login-failures.ts';
import { deleteSession } from '../storage/accounts/sessions.ts';
import {
  findUserByEmail,
  lockUserWithPasswordHash,
  SERVICE_LANE,
  updatePasswordHash,
} from '../storage/accounts/users.ts';
import type { SessionActor } from './actor.ts';
import { findKnownDevice } from './known-device.ts';
import { countAttempt, rateLimited, readVerdict } from './login-attempt.ts';
import { deviceSubject, type LoginSubject, loginSubject, sessionSubject } from './login-limit.ts';
import { hashPassword, isPassword } from './password.ts';
import {
  endSessions,
  openSession,
  type SessionClient,
  type SignedInSession,
  toSignedInSession,
} from './session.ts';
import { runInQueue } from './sign-in-queue.ts';

/** How long a client should wait before it retries, if the queue of the email address, device, or session is full. */
const QUEUE_RETRY_SECONDS = 5;

interface LoginInput {
  readonly email: string;
  readonly password: string;
  /** The client that signs in. */
  readonly client: SessionClient;
}

/**
 * Checks an email address and password and starts a session. The check takes the same time if the password is
 * correct, if it is wrong, and if the user does not exist. Each attempt counts as failed until the password is
 * verified. Concurrent attempts therefore cannot exceed the limits.
 *
 * @param input `ip` is null when it is unknown, or shared by all clients. All clients without an `ip` share one limit.
 * `deviceTokens` are the tokens that the client got from earlier sign-ins, of any user.
 * @param sleep delays attempts on an email address with too many failures
 * @returns `login_rate_limited` after too many failures, `invalid_login` when the email address or the
 * password is wrong
 */
export async function logIn(
  runtime: Runtime,
  input: LoginInput & { readonly ip: string | null; readonly deviceTokens?: readonly string[] },
  sleep: (ms: number) => Promise<unknown> = wait,
): Promise<SignedInSession | Rejection> {
  const email = normalizeEmail(input.email);
  const device = await findDevice(runtime, email, input.deviceTokens ?? []);
  const subject =
    device === null ? loginSubject(runtime.secret, email, input.ip) : deviceSubject(runtime.secret, device);
  const { password, client } = input;
  return await withPassword(runtime, subject, { email, password, client, newPassword: null }, sleep);
}

/**
 * Sets a new password after checking the current one. All sessions of the user end, and a new session starts.
 * Attempts are counted per session, so failed sign-ins of other people do not block the user.
 */
export async function changePassword(
  runtime: Runtime,
  { sessionId, user }: Pick<SessionActor, 'sessionId' | 'user'>,
  input: Pick<LoginInput, 'password' | 'client'> & { readonly newPassword: string },
): Promise<SignedInSession | Rejection> {
  if (input.password === input.newPassword) {
    return new Rejection('invalid_field', 'new_password must differ from the current password');
  }
  const subject = sessionSubject(runtime.secret, sessionId, user.id);
  return await withPassword(runtime, subject, { email: user.email, ...input }, wait);
}

/**
 * Ends the session: its token is rejected from now on. If the token is from the external identity provider,
 * all tokens that the provider has issued to the user so far are rejected.
 */
export function logOut(
  runtime: Runtime,
  session: Pick<SessionActor, 'sessionId' | 'externalIssuedAt' | 'user'>,
): Promise<void> {
  const { sessionId, externalIssuedAt, user } = session;
  // The provider's clock may be ahead of ours, so the issue time of the token may be later than now.
  const endedAt = Math.max(runtime.now(), externalIssuedAt ?? 0);
  return runtime.engine.write(SERVICE_LANE, (tx) =>
    sessionId === null
      ? invalidateIdentityTokens(tx, user.id, endedAt)
      : deleteSession(tx, user.id, sessionId).then(() => {}),
  );
}

/**
 * Returns the id of the known device, or null. The user is loaded only if the client sent a device token. For
 * all other clients, the response time therefore does not reveal whether the user exists.
 */
async function findDevice(
  runtime: Runtime,
  email: string,
  tokens: readonly string[],
): Promise<string | null> {
  if (tokens.length === 0) return null;
  const user = await findUserByEmail(runtime.engine.read, email);
  return user && findKnownDevice(runtime, tokens, user);
}

/**
 * Checks the password and starts a session. If the request also sets a new password, the same transaction stores it.
 *
 * Attempts with the same email address or from the same known device run one after another. Otherwise,
 * concurrent attempts with the correct password could reach a limit, because each attempt counts as failed
 * until it succeeds.
 */
async function withPassword(
  runtime: Runtime,
  subject: LoginSubject,
  input: LoginInput & { readonly newPassword: string | null },
  sleep: (ms: number) => Promise<unknown>,
): Promise<SignedInSession | Rejection> {
  // A blocked client must not occupy the queue, because other clients need the queue.
  const verdict = await readVerdict(runtime.engine.read, subject, runtime.now());
  if (verdict.kind === 'blocked') return rateLimited(verdict.retryAfterSeconds);
  const outcome = await runInQueue(subject.queueKey, () => tryPassword(runtime, subject, input, sleep));
  return outcome === 'full' ? rateLimited(QUEUE_RETRY_SECONDS) : outcome;
}

async function tryPassword(
  runtime: Runtime,
  subject: LoginSubject,
  input: LoginInput & { readonly newPassword: string | null },
  sleep: (ms: number) => Promise<unknown>,
): Promise<SignedInSession | Rejection> {
  const { engine } = runtime;
  const verdict = await countAttempt(runtime, subject);
  if (verdict.kind === 'blocked') return rateLimited(verdict.retryAfterSeconds);
  if (verdict.delayMs > 0) await sleep(verdict.delayMs);

  const user = await findUserByEmail(engine.read, input.email);
  const matches = await isPassword(user?.passwordHash ?? null, input.password);
  if (user === null || !matches) return new Rejection('invalid_login');
  const newHash = input.newPassword === null ? null : await hashPassword(input.newPassword);
  const session = await engine.write(SERVICE_LANE, async (tx) => {
    // If the password changed while it was being checked, the old password must not start a session.
    if (!(await lockUserWithPasswordHash(tx, user.id, user.passwordHash))) return null;
    await deleteLoginFailures(tx, subject);
    if (newHash !== null) {
      await updatePasswordHash(tx, user.id, newHash, 'user');
      await endSessions(tx, runtime, user.id);
    }
    return await openSession(tx, runtime, user.id, input.client);
  });
  if (session === null) return new Rejection('invalid_login');
  const newPassword = newHash !== null && { passwordHash: newHash, passwordIsTemporary: false };
  return await toSignedInSession(runtime, session, { ...user, ...newPassword });
}
