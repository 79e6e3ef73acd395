import { randomBase62 } from '../domain/base62.ts';
import type { Runtime } from '../runtime.ts';
import { openSecret, sealSecret } from './seal.ts';

const MESSAGE_KEY_LENGTH = 24;

/** Makes the random part of an email's `Message-ID`. */
export function makeMessageKey({ randomBytes }: Pick<Runtime, 'randomBytes'>): string {
  return randomBase62(MESSAGE_KEY_LENGTH, randomBytes);
}

/** Encrypts the code or token of a link, so that a stored email does not reveal it. */
export function sealEmailToken(
  runtime: Pick<Runtime, 'secret' | 'randomBytes'>,
  messageKey: string,
  token: string,
): string {
  return sealSecret(runtime, 'email-token', messageKey, token);
}

/** Decrypts what `sealEmailToken` returned. @returns null when the service's secret has changed since then */
export function openEmailToken(
  runtime: Pick<Runtime, 'secret'>,
  messageKey: string,
  sealed: string,
): string | null {
  return openSecret(runtime, 'email-token', messageKey, sealed);
}
