import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Runtime } from '../runtime.ts';
import { deriveKey, type KeyLabel } from './derive-key.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a secret for storage, by AES-256-GCM under a key derived from the service's secret.
 *
 * @param owner identifies what the secret belongs to; the text can be decrypted only with the same owner
 * @returns nonce, ciphertext and tag in base64url; different on each call
 */
export function sealSecret(
  runtime: Pick<Runtime, 'secret' | 'randomBytes'>,
  label: KeyLabel,
  owner: string,
  text: string,
): string {
  const nonce = runtime.randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(runtime.secret, label), nonce);
  cipher.setAAD(Buffer.from(owner));
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

/**
 * Decrypts what `sealSecret` returned.
 *
 * @returns null when the text was modified, or was encrypted with another owner, label or secret
 */
export function openSecret(
  runtime: Pick<Runtime, 'secret'>,
  label: KeyLabel,
  owner: string,
  sealed: string,
): string | null {
  try {
    const bytes = Buffer.from(sealed, 'base64url');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', deriveKey(runtime.secret, label), nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
