import type { OutsideClaims, Runtime } from '../runtime.ts';
import {
  type BoundIdentity,
  findIdentity,
  insertIdentity,
  lockUserIdentity,
} from '../storage/accounts/identities.ts';
import { deleteSessionsOfUser } from '../storage/accounts/sessions.ts';
import { ACCOUNTS_LANE, findUserByEmail, replaceForeignPassword } from '../storage/accounts/users.ts';
import { UNUSABLE_HASH } from './password.ts';

/** Whose a token is, and when its provider says that it was issued. */
export interface OutsideUser {
  readonly userId: number;
  readonly issuedAt: number;
}

/**
 * The user whom a token of the outside identity provider stands for, or null. The first one binds its subject to
 * the user of its verified e-mail; from then on the subject alone counts. A user has one subject of an issuer, so
 * that an address that the provider gave to someone else opens nothing. Who made the user with a password does not
 * stay signed in beside it.
 */
export async function findOutsideUser(runtime: Runtime, token: string): Promise<OutsideUser | null> {
  const claims = await runtime.identityProvider?.verify(token, runtime.now());
  if (!claims) return null;
  const bound = (await findIdentity(runtime.engine.read, claims)) ?? (await bind(runtime, claims));
  if (bound === null) return null;
  const { userId, endedAt } = bound;
  const { issuedAt } = claims;
  return endedAt !== null && issuedAt <= endedAt ? null : { userId, issuedAt };
}

async function bind(runtime: Runtime, claims: OutsideClaims): Promise<BoundIdentity | null> {
  const { email, issuer, subject } = claims;
  const user = email === null ? null : await findUserByEmail(runtime.engine.read, email);
  if (user === null) return null;
  return await runtime.engine.write(ACCOUNTS_LANE, async (tx) => {
    const isFirst = !(await lockUserIdentity(tx, user.id, issuer));
    if (isFirst && (await insertIdentity(tx, { issuer, subject, userId: user.id, at: runtime.now() }))) {
      if (await replaceForeignPassword(tx, user.id, UNUSABLE_HASH)) await deleteSessionsOfUser(tx, user.id);
    }
    return findIdentity(tx.db, claims);
  });
}
