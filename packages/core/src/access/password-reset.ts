import { normalizeEmail } from '../domain/email.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { insertEmail } from '../storage/accounts/emails.ts';
import { deleteLoginFailures } from '../storage/accounts/login-failures.ts';
import {
  lockUserWithPasswordHash,
  SERVICE_LANE,
  type User,
  updatePasswordHash,
} from '../storage/accounts/users.ts';
import { makeMessageKey } from './email-token.ts';
import { countAttempt, rateLimited, readVerdict } from './login-attempt.ts';
import { clientSubject, loginSubject, resetRequestSubject } from './login-limit.ts';
import {
  type CodeContext,
  claimUserOfCode,
  createOneTimeCode,
  findUserOfCode,
  isCodeOf,
  type OneTimeCode,
} from './one-time-code.ts';
import { hashPassword, isPassword } from './password.ts';
import {
  endSessions,
  openSession,
  type SessionClient,
  type SignedInSession,
  toSignedInSession,
} from './session.ts';

/** How long the service tries to send a requested link. */
const RESET_REQUEST_MS = 1_800_000;

/**
 * Creates a code with which `POST /api/auth/password-reset/confirm` replaces the user's password. The code
 * works once and expires after 30 minutes. Anyone who has the code can take over the account, so keep it
 * secret. Put it into the fragment of a link, as in `/app/reset#affr_…`, because browsers do not send
 * fragments to servers. You can call this function while the service is running.
 *
 * @param context pass `affkit.runtime`, or an object with an `engine`
 * @returns null when no user has that address
 */
export function createPasswordResetCode(context: CodeContext, email: string): Promise<OneTimeCode | null> {
  return createOneTimeCode(context, 'passwordReset', email);
}

/**
 * Counts a request for a reset link, and stores an email for the address. Only the job that sends the email
 * looks up the user. Neither the result nor the response time therefore reveals whether the address has a
 * user.
 *
 * @returns `email` if the email was stored, or `none` if the service sends no email. `rate_limited` after too
 * many requests from the client; failed sign-ins do not count toward this limit
 */
export async function requestPasswordReset(
  runtime: Runtime,
  { email, ip }: { readonly email: string; readonly ip: string | null },
): Promise<'email' | 'none' | Rejection> {
  const recipient = normalizeEmail(email);
  const verdict = await countAttempt(runtime, resetRequestSubject(runtime.secret, recipient, ip));
  if (verdict.kind !== 'allowed') {
    const { retryAfterSeconds } = verdict;
    return new Rejection('rate_limited', undefined, { retryAfterSeconds });
  }
  if (runtime.mail === null) return 'none';
  const at = runtime.now();
  const messageKey = makeMessageKey(runtime);
  await runtime.engine.write(SERVICE_LANE, (tx) =>
    insertEmail(tx, {
      messageKey,
      kind: 'password_reset',
      workspaceId: null,
      programId: null,
      recipient,
      sealedToken: null,
      expiresAt: at + RESET_REQUEST_MS,
      at,
    }),
  );
  return 'email';
}

/**
 * Replaces the password of the user whose reset link contained the code. All sessions of the user end, and
 * all of the user's codes become invalid. Of several concurrent requests with the same code, only one
 * succeeds. The client's failed sign-ins with the user's email address are deleted, so that the user can sign in
 * immediately.
 *
 * @param input `browser` is the client to start a session for, or null to start none. `ip` is null when
 * unknown
 * @returns `reset_code_invalid` for a code that is unknown, expired or used; this counts as a failed sign-in
 * of the client. `login_rate_limited` after too many failed sign-ins. `invalid_field` if the password is the current
 * password
 */
export async function confirmPasswordReset(
  runtime: Runtime,
  input: {
    readonly code: string;
    readonly password: string;
    readonly browser: SessionClient | null;
    readonly ip: string | null;
  },
): Promise<{ readonly user: User; readonly signedIn: SignedInSession | null } | Rejection> {
  const { code, password, browser, ip } = input;
  const { engine, secret } = runtime;
  if (!isCodeOf('passwordReset', code)) return new Rejection('reset_code_invalid');
  const client = clientSubject(secret, ip);
  const verdict = await readVerdict(engine.read, client, runtime.now());
  if (verdict.kind === 'blocked') return rateLimited(verdict.retryAfterSeconds);
  const user = await findUserOfCode(runtime, code);
  if (user === null) {
    await countAttempt(runtime, client);
    return new Rejection('reset_code_invalid');
  }
  if (await isPassword(user.passwordHash, password)) {
    return new Rejection('invalid_field', 'password must differ from the current password');
  }
  const passwordHash = await hashPassword(password);
  const outcome = await engine.write(SERVICE_LANE, async (tx) => {
    // Lock the user before the code. Every change of a password uses this order, so that concurrent changes cannot
    // deadlock.
    const isUnchanged = await lockUserWithPasswordHash(tx, user.id, user.passwordHash);
    const isClaimed = (await claimUserOfCode(tx, runtime, code)) !== null;
    if (!isUnchanged || !isClaimed) return null;
    await updatePasswordHash(tx, user.id, passwordHash, 'reset link');
    await endSessions(tx, runtime, user.id);
    await deleteLoginFailures(tx, loginSubject(secret, user.email, ip));
    return { session: browser && (await openSession(tx, runtime, user.id, browser)) };
  });
  if (outcome === null) return new Rejection('reset_code_invalid');
  const { session } = outcome;
  const { id, email, name } = user;
  const changed = { ...user, passwordHash, passwordIsTemporary: false };
  return {
    user: { id, email, name },
    signedIn: session && (await toSignedInSession(runtime, session, changed)),
  };
}
