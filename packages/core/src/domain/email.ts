import { hash } from 'node:crypto';
import { lowerAscii } from './lower-ascii.ts';

/** The stored form of a customer's email address. The address itself is never stored. */
export interface HashedEmail {
  /** SHA-256 of the trimmed, lower-case address, in hex. */
  readonly hash: string;
  /**
   * A form that people can recognize, such as `j***@example.com`. Null when the caller sent only the hash.
   */
  readonly masked: string | null;
}

/**
 * Returns the form in which email addresses of users are stored and compared. Surrounding spaces are removed,
 * and A to Z become lower case. Other letters are not changed. `toLowerCase` would also map the Kelvin sign to
 * k, so the addresses of two people could become equal.
 */
export function normalizeEmail(email: string): string {
  return lowerAscii(email.trim());
}

/**
 * Hashes and masks an email address. Input of 64 hex digits is treated as a hash.
 *
 * @returns null when the input is blank
 */
export function hashEmail(email: string): HashedEmail | null {
  const address = email.trim().toLowerCase();
  if (address === '') return null;
  if (/^[0-9a-f]{64}$/.test(address)) return { hash: address, masked: null };
  return { hash: hash('sha256', address), masked: maskEmail(address) };
}

/** Masks an email address, but keeps it recognizable to people, for example as `j***@example.com`. */
export function maskEmail(address: string): string {
  const at = address.lastIndexOf('@');
  return at > 0 ? `${String.fromCodePoint(address.codePointAt(0) ?? 42)}***${address.slice(at)}` : '***';
}
