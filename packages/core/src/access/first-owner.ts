import { acceptInviteRequest, createMemberRequest } from '@affkit/protocol';
import { randomBase62 } from '../domain/base62.ts';
import { normalizeEmail } from '../domain/email.ts';
import type { Runtime } from '../runtime.ts';
import { hasUsers, insertUser, lockUsers, SERVICE_LANE } from '../storage/accounts/users.ts';
import { insertWorkspace } from '../storage/accounts/workspaces.ts';
import { isMissingTable } from '../storage/database/missing-table.ts';
import { GENERATED_PASSWORD_LENGTH, hashPassword } from './password.ts';

/** The user that `ensureFirstOwner` created. */
export interface FirstOwner {
  /** The email address, trimmed and in lower case. */
  readonly email: string;
  /**
   * The generated password, if you passed none. Show this password to the operator now, because only its hash
   * is stored.
   */
  readonly generatedPassword?: string;
}

const { email: emailRule } = createMemberRequest.shape;
const { password: passwordRule } = acceptInviteRequest.shape;

/**
 * Creates the first user and a workspace that the user owns. When several processes start at once, only one of
 * them creates the user.
 *
 * @returns null when a user exists already
 * @throws RangeError when no user exists yet, and `email` is not a valid email address or `password` does not have
 * 8 to 1024 characters
 */
export async function ensureFirstOwner(
  runtime: Runtime,
  ownerCredentials: { readonly email: string; readonly password?: string | undefined },
): Promise<FirstOwner | null> {
  if (await hasUsers(runtime.engine.read).catch(explainUnmigratedDatabase)) return null;
  const email = readEmail(ownerCredentials.email);
  const problem = passwordRule.safeParse(ownerCredentials.password).error?.issues[0];
  if (problem) throw new RangeError(`ensureFirstOwner: ${problem.message}`);
  const password = ownerCredentials.password ?? randomBase62(GENERATED_PASSWORD_LENGTH, runtime.randomBytes);
  const passwordHash = await hashPassword(password);
  const at = runtime.now();
  const isFirst = await runtime.engine.write(SERVICE_LANE, async (tx) => {
    await lockUsers(tx);
    if (await hasUsers(tx.db)) return false;
    const name = email.split('@')[0] || email;
    const ownerId = await insertUser(tx, { email, name, passwordHash, at });
    await insertWorkspace(tx, { name: 'My workspace', ownerId, at });
    return true;
  });
  if (!isFirst) return null;
  return ownerCredentials.password === undefined ? { email, generatedPassword: password } : { email };
}

function readEmail(given: unknown): string {
  const email = typeof given === 'string' ? normalizeEmail(given) : '';
  // `admin@localhost` is accepted for the owner of a local installation, although its domain is not public.
  if (emailRule.safeParse(email.replace(/@localhost$/, '@localhost.test')).success) return email;
  throw new RangeError(`ensureFirstOwner: email must be an email address, got ${JSON.stringify(given)}`);
}

function explainUnmigratedDatabase(error: unknown): never {
  if (!isMissingTable(error)) throw error;
  const message = 'The database has no Affkit tables yet. Call affkit.migrate() first.';
  throw new Error(message, { cause: error });
}
