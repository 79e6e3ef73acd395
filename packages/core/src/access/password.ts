import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** The parameters that OWASP recommends for argon2id, which is the library's default algorithm. */
const PASSWORD_HASH_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The length of a generated password, in characters. */
export const GENERATED_PASSWORD_LENGTH = 20;

/** A hash that takes as long to verify as a real hash but that no password matches. */
export const UNUSABLE_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$CVMy14ZaZhV4qnEjTRmxng$pgE4jofY76L2YquDJfrUv6gXlJT/Ih0r+cWKPw4PfzY';

/**
 * By default, Node's thread pool has only four threads, and one of them syncs SQLite's log. This limit leaves
 * two threads for such work.
 */
const limitThreads = pLimit(2);

export function hashPassword(password: string): Promise<string> {
  return limitThreads(() => hash(password, PASSWORD_HASH_COST));
}

/**
 * Whether the password matches the stored hash.
 *
 * @param stored null when the user does not exist; the result is then false, after the same time as with a
 * real hash
 */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const matches = await limitThreads(() => verify(stored ?? UNUSABLE_HASH, password));
  return matches && stored !== null && stored !== UNUSABLE_HASH;
}
