import { createHash } from 'node:crypto';

/** What is kept of an e-mail address: a hash to match by, and a form that a person recognises. */
export interface KeptEmail {
  readonly hash: string;
  readonly masked: string | null;
}

/** SHA-256 of the trimmed lower-case address and `j***@example.com`; 64 hex digits are taken as such a hash. */
export function keepEmail(email: string): KeptEmail | null {
  const address = email.trim().toLowerCase();
  if (address === '') return null;
  if (/^[0-9a-f]{64}$/.test(address)) return { hash: address, masked: null };
  const at = address.lastIndexOf('@');
  const masked =
    at > 0 ? `${String.fromCodePoint(address.codePointAt(0) ?? 42)}***${address.slice(at)}` : '***';
  return { hash: createHash('sha256').update(address).digest('hex'), masked };
}
