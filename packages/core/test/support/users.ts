import { hashPassword } from '../../src/access/password.ts';
import { openSession } from '../../src/access/session.ts';
import { signSessionToken } from '../../src/access/session-token.ts';
import type { Runtime } from '../../src/runtime.ts';
import { ACCOUNTS_LANE } from '../../src/storage/accounts/users.ts';

const hashes = new Map<string, Promise<string>>();

/** Returns the hash of a password. Hashes are cached, because hashing is deliberately slow. */
export function cachedPasswordHash(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, hash);
  return hash;
}

/** Creates a session like a sign-in, but without the slow check of the password. */
export async function createSession(
  runtime: Runtime,
  userId: number,
): Promise<{ readonly id: string; readonly token: string }> {
  const session = await runtime.engine.write(ACCOUNTS_LANE, (tx) => openSession(tx, runtime, userId));
  return { id: session.id, token: await signSessionToken(runtime, { ...session, userId }) };
}
