import { randomBytes } from 'node:crypto';
import { randomBase62 } from '../domain/base62.ts';
import { ACCOUNTS_LANE, findUserByEmail, updatePasswordHash } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { GENERATED_LENGTH, hashPassword } from './password.ts';
import { endSessions } from './session.ts';

/**
 * Gives a user a password that is made up, for the operator: whoever lost theirs can't ask for it over HTTP. Every
 * session of the user ends. May run beside a service that uses the database.
 * @returns the password, to be shown once; null where no user has that e-mail
 */
export async function resetPassword(
  { engine }: { readonly engine: Engine },
  email: string,
): Promise<string | null> {
  const user = await findUserByEmail(engine.read, email.trim().toLowerCase());
  if (user === null) return null;
  const password = randomBase62(GENERATED_LENGTH, randomBytes);
  const passwordHash = await hashPassword(password);
  await engine.write(ACCOUNTS_LANE, async (tx) => {
    await updatePasswordHash(tx, user.id, passwordHash, true);
    await endSessions(tx, { now: Date.now }, user.id);
  });
  return password;
}
