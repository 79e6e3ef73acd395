import { hashPassword } from '../../src/access/password.ts';
import { openSession } from '../../src/access/session.ts';
import { signSessionToken } from '../../src/access/session-token.ts';
import type { Runtime } from '../../src/runtime.ts';
import { ACCOUNTS_LANE } from '../../src/storage/accounts/users.ts';

const hashes = new Map<string, Promise<string>>();

/** The password's hash, made once: hashing is slow on purpose. */
export function hashOf(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, hash);
  return hash;
}

/** A session as signing in starts it, without the password, whose check is as slow. */
export async function sessionOf(
  runtime: Runtime,
  userId: number,
): Promise<{ readonly id: string; readonly token: string }> {
  const session = await runtime.engine.write(ACCOUNTS_LANE, (tx) => openSession(tx, runtime, userId));
  return { id: session.id, token: await signSessionToken(runtime, { ...session, userId }) };
}
