import type { ExternalClaims, Runtime } from '../runtime.ts';
import {
  type BoundIdentity,
  findIdentity,
  insertIdentity,
  lockUserAndCheckIdentity,
} from '../storage/accounts/identities.ts';
import { deleteSessionsOfUser } from '../storage/accounts/sessions.ts';
import { findUserByEmail, replaceForeignPassword, SERVICE_LANE } from '../storage/accounts/users.ts';
import { UNUSABLE_HASH } from './password.ts';

/** The user that a token of the external identity provider belongs to. */
export interface ExternalUser {
  readonly userId: number;
  /** Epoch milliseconds at which the provider says that it issued the token. */
  readonly issuedAt: number;
}

/**
 * Returns the user that a token of the external identity provider belongs to, or null.
 *
 * The first token with a subject (the provider's id of a person) binds the subject to the user whose email address
 * the token contains. The token must say that the address is verified. Later tokens are matched by subject only. A
 * user is bound to only one subject per issuer. If the provider later gives the email address to another person,
 * that person has another subject, and therefore does not get access. If somebody else may have set the user's
 * password, the binding makes the password unusable and ends the user's sessions.
 */
export async function findExternalUser(runtime: Runtime, token: string): Promise<ExternalUser | null> {
  const claims = await runtime.identityProvider?.verify(token, runtime.now());
  if (!claims) return null;
  const bound = (await findIdentity(runtime.engine.read, claims)) ?? (await bindIdentity(runtime, claims));
  if (bound === null) return null;
  const { userId, endedAt } = bound;
  const { issuedAt } = claims;
  return endedAt !== null && issuedAt <= endedAt ? null : { userId, issuedAt };
}

async function bindIdentity(runtime: Runtime, claims: ExternalClaims): Promise<BoundIdentity | null> {
  const { email, issuer, subject } = claims;
  const user = email === null ? null : await findUserByEmail(runtime.engine.read, email);
  if (user === null) return null;
  return await runtime.engine.write(SERVICE_LANE, async (tx) => {
    const isFirst = !(await lockUserAndCheckIdentity(tx, user.id, issuer));
    if (isFirst && (await insertIdentity(tx, { issuer, subject, userId: user.id, at: runtime.now() }))) {
      if (await replaceForeignPassword(tx, user.id, UNUSABLE_HASH)) await deleteSessionsOfUser(tx, user.id);
    }
    return findIdentity(tx.db, claims);
  });
}
