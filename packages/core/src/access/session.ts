import type { Runtime } from '../runtime.ts';
import { invalidateIdentityTokens } from '../storage/accounts/identities.ts';
import { deleteSessionsOfUser, insertSession } from '../storage/accounts/sessions.ts';
import type { User, UserWithPassword } from '../storage/accounts/users.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { MAX_CLOCK_SKEW_MS } from './identity-provider.ts';
import { makeDeviceToken } from './known-device.ts';
import { SESSION_MS, signSessionToken } from './session-token.ts';

/** A started session, as the login response shows it. */
export interface SignedInSession {
  readonly token: string;
  readonly expiresAt: number;
  readonly user: User;
  /** Makes the client a known device of the user. */
  readonly deviceToken: string;
  /** Whether the session may do nothing but replace the password, which someone else has set. */
  readonly mustChangePassword: boolean;
}

/** A session that is stored but has no token yet. */
export interface OpenedSession {
  readonly id: string;
  readonly expiresAt: number;
}

export async function openSession(tx: Transaction, runtime: Runtime, userId: number): Promise<OpenedSession> {
  const at = runtime.now();
  const session = {
    id: Buffer.from(runtime.randomBytes(24)).toString('base64url'),
    expiresAt: at + SESSION_MS,
  };
  await insertSession(tx, { ...session, userId, at });
  return session;
}

/**
 * Ends every session of the user, including tokens of the external identity provider.
 * @param keptId the session that stays, if any
 */
export async function endSessions(
  tx: Transaction,
  { now }: Pick<Runtime, 'now'>,
  userId: number,
  keptId: string | null = null,
): Promise<void> {
  await deleteSessionsOfUser(tx, userId, keptId);
  await invalidateIdentityTokens(tx, userId, now() + MAX_CLOCK_SKEW_MS);
}

export async function toSignedInSession(
  runtime: Runtime,
  session: OpenedSession,
  user: User & Pick<UserWithPassword, 'passwordHash' | 'passwordIsTemporary'>,
): Promise<SignedInSession> {
  const { id, email, name } = user;
  const token = await signSessionToken(runtime, { ...session, userId: id });
  const deviceToken = makeDeviceToken(runtime, user);
  return {
    token,
    expiresAt: session.expiresAt,
    user: { id, email, name },
    deviceToken,
    mustChangePassword: user.passwordIsTemporary,
  };
}
