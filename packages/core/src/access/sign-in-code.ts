import { randomBytes } from 'node:crypto';
import { SIGN_IN_CODE_PREFIX } from '@affkit/protocol';
import { normalizeEmail } from '../domain/email.ts';
import { hashToken, isWellFormedToken, makeToken } from '../domain/token.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { claimSignInCode, insertSignInCode } from '../storage/accounts/sign-in-codes.ts';
import { ACCOUNTS_LANE, findUser, findUserByEmail } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { openSession, type SessionClient, type SignedInSession, toSignedInSession } from './session.ts';

/** How long a sign-in code is valid. */
const CODE_MS = 10 * 60_000;

/** A code that signs one user in, once. */
export interface SignInCode {
  /** Send it to `POST /api/auth/login`. Only its hash is stored. */
  readonly code: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * Creates a code that signs a user in without a password, once, within ten minutes. It is meant for
 * operators: whoever has the code is signed in as that user. Put it into the fragment of a link, as in
 * `/app/sign-in#affs_…`, because browsers do not send fragments to servers. You can call it while a service
 * uses the same database.
 *
 * @param service pass `affkit.runtime`, or an engine
 * @returns null when no user has that address
 */
export async function createSignInCode(
  service: { readonly engine: Engine; readonly now?: () => number },
  email: string,
): Promise<SignInCode | null> {
  const { engine, now = Date.now } = service;
  const user = await findUserByEmail(engine.read, normalizeEmail(email));
  if (user === null) return null;
  const code = makeToken(SIGN_IN_CODE_PREFIX, randomBytes);
  const at = now();
  const expiresAt = at + CODE_MS;
  await engine.write(ACCOUNTS_LANE, (tx) =>
    insertSignInCode(tx, { codeHash: hashToken(code), userId: user.id, expiresAt, at }),
  );
  return { code, expiresAt };
}

/**
 * Starts a session for a sign-in code. The code works once: of several concurrent requests, only one succeeds.
 * @returns `sign_in_code_invalid` for a code that is unknown, expired or used
 */
export async function redeemSignInCode(
  runtime: Runtime,
  code: string,
  client: SessionClient,
): Promise<SignedInSession | Rejection> {
  if (!isWellFormedToken(code)) return new Rejection('sign_in_code_invalid');
  const signedIn = await runtime.engine.write(ACCOUNTS_LANE, async (tx) => {
    const userId = await claimSignInCode(tx, hashToken(code), runtime.now());
    const user = userId === null ? null : await findUser(tx.db, userId);
    return user && { user, session: await openSession(tx, runtime, user.id, client) };
  });
  if (signedIn === null) return new Rejection('sign_in_code_invalid');
  return await toSignedInSession(runtime, signedIn.session, signedIn.user, false);
}
