import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** The parameters that OWASP recommends for argon2id. The library uses argon2id by default. */
const PASSWORD_HASH_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The length of a generated password, in characters. */
export const GENERATED_PASSWORD_LENGTH = 20;

/** A hash that no password matches. Verifying it takes as long as verifying a real hash. */
export const UNUSABLE_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$CVMy14ZaZhV4qnEjTRmxng$pgE4jofY76L2YquDJfrUv6gXlJT/Ih0r+cWKPw4PfzY';

/**
 * The limit on concurrent hashes. Node's thread pool has four threads by default. Two of them remain free for
 * other work, such as syncing SQLite's log.
 */
const limitThreads = pLimit(2);

export function hashPassword(password: string): Promise<string> {
  return limitThreads(() => hash(password, PASSWORD_HASH_COST));
}

/**
 * Whether the password matches the stored hash.
 *
 * @param stored null when the user does not exist. The result is then false, but the check takes as long as with
 * a real hash
 */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const matches = await limitThreads(() => verify(stored ?? UNUSABLE_HASH, password));
  return matches && stored !== null && stored !== UNUSABLE_HASH;
}
