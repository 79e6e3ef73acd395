import type { OutsideClaims, Runtime } from '../runtime.ts';
import { type BoundIdentity, findIdentity, insertIdentity, lockUserIdentity } from '../storage/identities.ts';
import { findUserByEmail, PEOPLE_LANE } from '../storage/people.ts';

/**
 * The user whom a token of the outside identity provider stands for, or null. The first one binds its subject to
 * the user of its verified e-mail; from then on the subject alone counts. A user has one subject of an issuer, so
 * that an address that the provider gave to someone else opens nothing.
 */
export async function findOutsideUser(runtime: Runtime, token: string): Promise<number | null> {
  const claims = await runtime.identityProvider?.verify(token, runtime.now());
  if (!claims) return null;
  const bound = (await findIdentity(runtime.engine.read, claims)) ?? (await bind(runtime, claims));
  if (bound === null) return null;
  return bound.endedAt !== null && claims.issuedAt <= bound.endedAt ? null : bound.userId;
}

async function bind(runtime: Runtime, claims: OutsideClaims): Promise<BoundIdentity | null> {
  const { email, issuer, subject } = claims;
  const user = email === null ? null : await findUserByEmail(runtime.engine.read, email);
  if (user === null) return null;
  return await runtime.engine.write(PEOPLE_LANE, async (tx) => {
    if (!(await lockUserIdentity(tx, user.id, issuer))) {
      await insertIdentity(tx, { issuer, subject, userId: user.id, at: runtime.now() });
    }
    return findIdentity(tx.db, claims);
  });
}
