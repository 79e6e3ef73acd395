import { randomBase62 } from '../domain/base62.ts';
import type { Runtime } from '../runtime.ts';
import { hasUsers, insertUser, insertWorkspace, lockUsers, PEOPLE_LANE } from '../storage/people.ts';
import { GENERATED_LENGTH, hashPassword } from './password.ts';

export interface FirstOwner {
  readonly email: string;
  /** Only where none was given: to be shown once. */
  readonly generatedPassword?: string;
}

/**
 * Makes the first user with a workspace of its own, or does nothing when there is a user already (null).
 * Of several processes that start at once, one makes it.
 */
export async function createFirstOwner(
  runtime: Runtime,
  input: { readonly email: string; readonly password?: string | undefined },
): Promise<FirstOwner | null> {
  if (await hasUsers(runtime.engine.read)) return null;
  const email = input.email.trim().toLowerCase();
  const password = input.password ?? randomBase62(GENERATED_LENGTH, runtime.randomBytes);
  const passwordHash = await hashPassword(password);
  const at = runtime.now();
  const isFirst = await runtime.engine.write(PEOPLE_LANE, async (tx) => {
    await lockUsers(tx);
    if (await hasUsers(tx.db)) return false;
    const name = email.split('@')[0] || email;
    const ownerId = await insertUser(tx, { email, name, passwordHash, at });
    await insertWorkspace(tx, { name: 'My workspace', ownerId, at });
    return true;
  });
  if (!isFirst) return null;
  return input.password === undefined ? { email, generatedPassword: password } : { email };
}
