import { createMemberRequest } from '@affkit/protocol';
import { randomBase62 } from '../domain/base62.ts';
import type { Runtime } from '../runtime.ts';
import {
  ACCOUNTS_LANE,
  hasUsers,
  insertUser,
  insertWorkspace,
  lockUsers,
} from '../storage/accounts/users.ts';
import { isMissingTable } from '../storage/database/missing-table.ts';
import { GENERATED_LENGTH, hashPassword } from './password.ts';

export interface FirstOwner {
  readonly email: string;
  /** Only where none was given: to be shown once. */
  readonly generatedPassword?: string;
}

const { email: emailRule, password: passwordRule } = createMemberRequest.shape;

/**
 * Makes the first user with a workspace of its own, or does nothing when there is a user already (null).
 * Of several processes that start at once, one makes it.
 * @throws RangeError when the user would have to be made, but `email` is no e-mail address or `password` not of 8 to 1024
 *   characters
 */
export async function createFirstOwner(
  runtime: Runtime,
  input: { readonly email: string; readonly password?: string | undefined },
): Promise<FirstOwner | null> {
  if (await hasUsers(runtime.engine.read).catch(explainMissingTable)) return null;
  const email = readEmail(input.email);
  const problem = passwordRule.safeParse(input.password).error?.issues[0];
  if (problem) throw new RangeError(`ensureFirstOwner: ${problem.message}`);
  const password = input.password ?? randomBase62(GENERATED_LENGTH, runtime.randomBytes);
  const passwordHash = await hashPassword(password);
  const at = runtime.now();
  const isFirst = await runtime.engine.write(ACCOUNTS_LANE, async (tx) => {
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

function readEmail(given: unknown): string {
  const email = typeof given === 'string' ? given.trim().toLowerCase() : '';
  // The owner of a machine's own service may be `admin@localhost`, which has no domain that a partner could have.
  if (emailRule.safeParse(email.replace(/@localhost$/, '@localhost.test')).success) return email;
  throw new RangeError(`ensureFirstOwner: email must be an e-mail address, but is ${JSON.stringify(given)}`);
}

function explainMissingTable(error: unknown): never {
  if (!isMissingTable(error)) throw error;
  const message = 'The database has no tables of Affkit yet: await affkit.migrate() first';
  throw new Error(message, { cause: error });
}
