import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type {
  INVITE_TOKEN_PREFIX,
  MANAGEMENT_KEY_PREFIX,
  RESET_CODE_PREFIX,
  SIGN_IN_CODE_PREFIX,
  TRACKING_TOKEN_PREFIX,
} from '@affkit/protocol';
import { randomBase62, toBase62 } from './base62.ts';

const TOKEN_RANDOM_LENGTH = 30;
const TOKEN_CHECK_LENGTH = 6;
/** The prefix, the random part, and the checksum. The two numbers must match the length constants above. */
const TOKEN_PATTERN = /^(aff[kirs]?_)([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

export type TokenPrefix =
  | typeof TRACKING_TOKEN_PREFIX
  | typeof MANAGEMENT_KEY_PREFIX
  | typeof INVITE_TOKEN_PREFIX
  | typeof SIGN_IN_CODE_PREFIX
  | typeof RESET_CODE_PREFIX;

/**
 * Makes a secret. It consists of the prefix, 30 random base-62 characters, and a checksum. The checksum is the
 * CRC32 of the preceding text, as 6 base-62 characters.
 */
export function makeToken(prefix: TokenPrefix, randomBytes: (count: number) => Uint8Array): string {
  const head = prefix + randomBase62(TOKEN_RANDOM_LENGTH, randomBytes);
  return head + toBase62(crc32(head), TOKEN_CHECK_LENGTH);
}

/**
 * Whether the text has the form of a token and a correct checksum. Any other text can be rejected without a
 * lookup.
 */
export function isWellFormedToken(text: string): boolean {
  const parts = TOKEN_PATTERN.exec(text);
  return parts !== null && toBase62(crc32(`${parts[1]}${parts[2]}`), TOKEN_CHECK_LENGTH) === parts[3];
}

/** The SHA-256 of a token in hex. Tokens are stored in this form only. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

/** Masks a token as `aff_abcd…wxyz`. People can recognize the token by this text but cannot use it. */
export function maskToken(token: string): string {
  const start = token.indexOf('_') + 1;
  return `${token.slice(0, start + 4)}…${token.slice(-4)}`;
}
