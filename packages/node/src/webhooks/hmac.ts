import { AffkitConfigurationError } from '../errors.ts';

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };
/**
 * Computes the HMAC-SHA256 of the concatenated parts.
 *
 * @throws AffkitConfigurationError if the runtime has no `node:crypto`
 */
export function computeHmac(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const hmac = nodeCrypto().createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Whether two digests of the same length are equal, compared in constant time. */
export function isEqualDigest(a: Uint8Array, b: Uint8Array): boolean {
  return nodeCrypto().timingSafeEqual(a, b);
}

/**
 * Whether one of the signatures was made with one of the keys. Uses WebCrypto, which every runtime has.
 */
export async function hasValidSignatureAsync(
  keys: readonly Uint8Array<ArrayBuffer>[],
  message: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  for (const bytes of keys) {
    const key = await subtle.importKey('raw', bytes, ALGORITHM, false, ['verify']);
    for (const signature of signatures) {
      if (await subtle.verify(ALGORITHM, key, signature, message)) return true;
    }
  }
  return false;
}

/**
 * A static import is not possible, because the package must also load in runtimes without `node:crypto`. The first
 * versions of Node 20 and 22 do not have `getBuiltinModule`.
 */
function nodeCrypto(): typeof import('node:crypto') {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto !== undefined) return crypto;
  throw new AffkitConfigurationError('This runtime cannot load node:crypto: use verifyAsync or fromRequest', {
    code: 'runtime_unsupported',
  });
}
