import { cutText, isStorable, MAX_USER_AGENT_LENGTH } from '@affkit/protocol';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { deleteQueuedResetLinks } from '../storage/accounts/emails.ts';
import { invalidateIdentityTokens } from '../storage/accounts/identities.ts';
import { deleteOneTimeCodesOfUser } from '../storage/accounts/one-time-codes.ts';
import {
  deleteSession,
  deleteSessionsOfUser,
  insertSession,
  type Session,
  type SessionTimes,
  updateSessionUse,
} from '../storage/accounts/sessions.ts';
import { SERVICE_LANE, type User, type UserWithPassword } from '../storage/accounts/users.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { SessionActor } from './actor.ts';
import { MAX_CLOCK_SKEW_MS } from './identity-provider.ts';
import { makeDeviceToken } from './known-device.ts';
import { BROWSER_SESSION_MS, SESSION_MS, signSessionToken } from './session-token.ts';

/**
 * The minimum time between two updates of a session's last use. Without this limit, a page with many requests would
 * cause many writes.
 */
const LAST_USED_PRECISION_MS = 5 * 60_000;

const MAX_DEVICE_NAME_LENGTH = 100;

/** The client for which a session is started. */
export interface SessionClient {
  /** Only the names of the browser and the operating system are stored. */
  readonly userAgent: string;
  /** Whether the token is stored in a cookie. The token is then accepted only from that cookie. */
  readonly isBrowser: boolean;
}

/** A new session, in the form of the login response. */
export interface SignedInSession extends OpenedSession {
  readonly token: string;
  readonly user: User;
  /** The token that makes the client a known device of the user. Null if the password was not checked. */
  readonly deviceToken: string | null;
  /**
   * Whether someone else has set the user's password. Most routes then reject the session until the user has set a
   * new password.
   */
  readonly mustChangePassword: boolean;
}

/** A session that is stored but has no token yet. */
export interface OpenedSession extends SessionTimes {
  /** The id in the session's token. */
  readonly tokenId: string;
}

export async function openSession(
  tx: Transaction,
  runtime: Runtime,
  userId: number,
  { userAgent, isBrowser }: SessionClient,
): Promise<OpenedSession> {
  const at = runtime.now();
  const session = {
    tokenId: Buffer.from(runtime.randomBytes(24)).toString('base64url'),
    expiresAt: at + SESSION_MS,
    renewableUntil: isBrowser ? at + BROWSER_SESSION_MS : null,
  };
  await insertSession(tx, { ...session, userId, device: deviceNameOf(runtime, userAgent), at });
  return session;
}

/** Returns a device name such as `Firefox on Linux`, or null if the device is unknown. */
function deviceNameOf({ readDevice }: Pick<Runtime, 'readDevice'>, userAgent: string): string | null {
  const { browser, os } = readDevice(userAgent.slice(0, MAX_USER_AGENT_LENGTH));
  const name = [browser, os].filter((part) => part !== null).join(' on ');
  return name === '' || !isStorable(name) ? null : cutText(name, MAX_DEVICE_NAME_LENGTH);
}

/**
 * Stores that a session was used, and extends a browser session. A failure is only logged, because the request itself
 * may still succeed.
 */
export async function recordSessionUse(runtime: Runtime, session: Session): Promise<void> {
  const at = runtime.now();
  const { id, renewableUntil, expiresAt } = session;
  if (at - session.lastUsedAt < LAST_USED_PRECISION_MS) return;
  const renewed = renewableUntil === null ? expiresAt : Math.min(at + SESSION_MS, renewableUntil);
  try {
    await runtime.engine.write(SERVICE_LANE, (tx) =>
      updateSessionUse(tx, { id, lastUsedAt: at, expiresAt: renewed }),
    );
  } catch (error) {
    runtime.log.warn({ err: error, session_id: id }, 'could not store the last use of a session');
  }
}

/**
 * Ends one session of the user.
 * @returns `not_found` when the session is another user's or has already ended
 */
export async function endSession(
  runtime: Runtime,
  { user }: Pick<SessionActor, 'user'>,
  sessionId: number,
): Promise<Rejection | null> {
  const isEnded = await runtime.engine.write(SERVICE_LANE, (tx) => deleteSession(tx, user.id, sessionId));
  return isEnded ? null : new Rejection('not_found');
}

/**
 * Ends all sessions of the user except the current one, and invalidates the user's sign-in and password reset
 * links.
 */
export function endOtherSessions(
  runtime: Runtime,
  { sessionId, user }: Pick<SessionActor, 'sessionId' | 'user'>,
): Promise<void> {
  return runtime.engine.write(SERVICE_LANE, async (tx) => {
    // Tokens of the external provider have no ids, so Affkit cannot keep the caller's token and reject the
    // others. If the caller uses such a token, all of the user's external tokens remain valid.
    if (sessionId !== null) return await endSessions(tx, runtime, user.id, sessionId);
    await deleteCodes(tx, user.id);
    await deleteSessionsOfUser(tx, user.id);
  });
}

/**
 * Ends all sessions of the user and rejects the tokens that the external identity provider has issued so far.
 * It also deletes the codes of the user's sign-in and password reset links.
 * @param keptId the session to keep, if any
 */
export async function endSessions(
  tx: Transaction,
  { now }: Pick<Runtime, 'now'>,
  userId: number,
  keptId: number | null = null,
): Promise<void> {
  await deleteCodes(tx, userId);
  await deleteSessionsOfUser(tx, userId, keptId);
  await invalidateIdentityTokens(tx, userId, now() + MAX_CLOCK_SKEW_MS);
}

/** Sending an email locks the email before the codes. Delete both in the same order, so that there is no deadlock. */
async function deleteCodes(tx: Transaction, userId: number): Promise<void> {
  await deleteQueuedResetLinks(tx, userId);
  await deleteOneTimeCodesOfUser(tx, userId);
}

/** @param isKnownDevice whether the password was checked, so that the client becomes a known device */
export async function toSignedInSession(
  runtime: Runtime,
  session: OpenedSession,
  user: User & Pick<UserWithPassword, 'passwordHash' | 'passwordIsTemporary'>,
  isKnownDevice = true,
): Promise<SignedInSession> {
  const { id, email, name } = user;
  const { tokenId, expiresAt, renewableUntil } = session;
  const token = { id: tokenId, userId: id, expiresAt: renewableUntil ?? expiresAt };
  return {
    ...session,
    token: await signSessionToken(runtime, token),
    user: { id, email, name },
    deviceToken: isKnownDevice ? makeDeviceToken(runtime, user) : null,
    mustChangePassword: user.passwordIsTemporary,
  };
}
