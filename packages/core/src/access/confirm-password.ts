import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { deleteLoginFailures } from '../storage/accounts/login-failures.ts';
import { findUser, SERVICE_LANE, type User } from '../storage/accounts/users.ts';
import type { SessionActor } from './actor.ts';
import { countAttempt, rateLimited, readVerdict } from './login-attempt.ts';
import { sessionSubject } from './login-limit.ts';
import { isPassword, UNUSABLE_HASH } from './password.ts';
import { runInQueue } from './sign-in-queue.ts';

const QUEUE_RETRY_SECONDS = 5;

/**
 * Whether the user can confirm a sensitive change by entering a password. Users who sign in through the external
 * identity provider cannot, because they have no session of Affkit and may have no password.
 */
export async function canConfirm(runtime: Runtime, { sessionId, user }: SessionActor): Promise<boolean> {
  if (sessionId === null) return false;
  const stored = await findUser(runtime.engine.read, user.id);
  return stored !== null && stored.passwordHash !== UNUSABLE_HASH;
}

/**
 * Checks the password of a signed-in user. Attempts count toward the same limit as attempts to change the password.
 * @returns null when the password is correct
 */
export async function confirmPassword(
  runtime: Runtime,
  { sessionId, user }: Pick<SessionActor, 'sessionId'> & { readonly user: Pick<User, 'id'> },
  password: string,
): Promise<Rejection | null> {
  const subject = sessionSubject(runtime.secret, sessionId, user.id);
  const first = await readVerdict(runtime.engine.read, subject, runtime.now());
  if (first.kind === 'blocked') return rateLimited(first.retryAfterSeconds);
  const outcome = await runInQueue(subject.queueKey, async () => {
    const verdict = await countAttempt(runtime, subject);
    if (verdict.kind === 'blocked') return rateLimited(verdict.retryAfterSeconds);
    const stored = await findUser(runtime.engine.read, user.id);
    if (!(await isPassword(stored?.passwordHash ?? null, password))) return new Rejection('password_wrong');
    await runtime.engine.write(SERVICE_LANE, (tx) => deleteLoginFailures(tx, subject));
    return null;
  });
  return outcome === 'full' ? rateLimited(QUEUE_RETRY_SECONDS) : outcome;
}
