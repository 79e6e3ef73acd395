import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';

/** OWASP's parameters for argon2id, which is the library's algorithm unless told otherwise. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Of a password that is made up, in characters. */
export const GENERATED_LENGTH = 20;

/** A hash of the same cost that no password matches. */
export const UNUSABLE_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$CVMy14ZaZhV4qnEjTRmxng$pgE4jofY76L2YquDJfrUv6gXlJT/Ih0r+cWKPw4PfzY';

/**
 * Node has four threads for all that waits, and SQLite's log is synced in one of them: however many sign in, two are left
 * for that.
 */
const inThread = pLimit(2);

export function hashPassword(password: string): Promise<string> {
  return inThread(() => hash(password, COST));
}

/** @param stored null where there is no such user: false then, after the same time */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const matches = await inThread(() => verify(stored ?? UNUSABLE_HASH, password));
  return matches && stored !== null && stored !== UNUSABLE_HASH;
}
