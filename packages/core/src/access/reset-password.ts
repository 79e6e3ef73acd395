import { randomBytes } from 'node:crypto';
import { randomBase62 } from '../domain/base62.ts';
import { normalizeEmail } from '../domain/email.ts';
import { findUserByEmail, SERVICE_LANE, updatePasswordHash } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { GENERATED_PASSWORD_LENGTH, hashPassword } from './password.ts';
import { endSessions } from './session.ts';

/**
 * Sets a generated password for a user and ends all of the user's sessions. The user must replace the password
 * at the next sign-in. The operator learns the password. To let only the user know it, call
 * `createPasswordResetCode` instead. You can call this function while the service is running.
 *
 * @returns the password, or null when no user has that address. Show the password now, because only its hash
 * is stored.
 */
export async function resetPassword(
  { engine }: { readonly engine: Engine },
  email: string,
): Promise<string | null> {
  const user = await findUserByEmail(engine.read, normalizeEmail(email));
  if (user === null) return null;
  const password = randomBase62(GENERATED_PASSWORD_LENGTH, randomBytes);
  const passwordHash = await hashPassword(password);
  await engine.write(SERVICE_LANE, async (tx) => {
    await updatePasswordHash(tx, user.id, passwordHash, 'operator');
    await endSessions(tx, { now: Date.now }, user.id);
  });
  return password;
}
