import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import {
  type CodeContext,
  claimUserOfCode,
  createOneTimeCode,
  findUserOfCode,
  isCodeOf,
  type OneTimeCode,
} from './one-time-code.ts';
import { openSession, type SessionClient, type SignedInSession, toSignedInSession } from './session.ts';

/**
 * Creates a code with which `POST /api/auth/login` signs a user in without a password. The code works once
 * and expires after ten minutes. This function is meant for operators. The code signs in anyone who has it, so
 * keep it secret. Put it into the fragment of a link, as in `/app/sign-in#affs_…`, because browsers do not send
 * fragments to servers. You can call this function while the service is running.
 *
 * @param context pass `affkit.runtime`, or an object with an `engine`
 * @returns null when no user has that address
 */
export function createSignInCode(context: CodeContext, email: string): Promise<OneTimeCode | null> {
  return createOneTimeCode(context, 'signIn', email);
}

/**
 * Starts a session for a sign-in code. Of several concurrent requests with the same code, only one succeeds.
 * @returns `sign_in_code_invalid` for a code that is unknown, expired or used
 */
export async function redeemSignInCode(
  runtime: Runtime,
  code: string,
  client: SessionClient,
): Promise<SignedInSession | Rejection> {
  // Anyone can send codes, so an unknown code must not cause a write.
  const isKnown = isCodeOf('signIn', code) && (await findUserOfCode(runtime, code)) !== null;
  if (!isKnown) return new Rejection('sign_in_code_invalid');
  const signedIn = await runtime.engine.write(SERVICE_LANE, async (tx) => {
    const user = await claimUserOfCode(tx, runtime, code);
    return user && { user, session: await openSession(tx, runtime, user.id, client) };
  });
  if (signedIn === null) return new Rejection('sign_in_code_invalid');
  return await toSignedInSession(runtime, signedIn.session, signedIn.user, false);
}
