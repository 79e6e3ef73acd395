/**
 * Converts ASCII letters to lower case, like `lower` in SQLite and in the collation "C" of Postgres.
 * `toLowerCase` converts further characters: it returns `k` for the Kelvin sign.
 */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
