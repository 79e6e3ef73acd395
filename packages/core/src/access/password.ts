import { hash, verify } from '@node-rs/argon2';

/** OWASP's parameters for argon2id, which is the library's algorithm unless told otherwise. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A hash of the same cost that no password matches. */
export const UNUSABLE_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$CVMy14ZaZhV4qnEjTRmxng$pgE4jofY76L2YquDJfrUv6gXlJT/Ih0r+cWKPw4PfzY';

export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** @param stored null where there is no such user: false then, after the same time */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const matches = await verify(stored ?? UNUSABLE_HASH, password);
  return matches && stored !== null && stored !== UNUSABLE_HASH;
}
