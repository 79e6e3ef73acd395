/**
 * Converts ASCII letters to lower case, like `lower` in SQLite and in the collation "C" of Postgres.
 * `toLowerCase` also converts other characters. It returns `k` for the Kelvin sign, for example.
 */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
