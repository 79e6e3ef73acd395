import { AffkitConfigurationError } from '../errors.ts';

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };
const encoder = new TextEncoder();

/** HMAC-SHA256 of the parts, one after the other, at once. */
export function computeHmac(secret: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const hmac = nodeCrypto().createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Are two digests of the same length equal? The time it takes says nothing about where they differ. */
export function isEqualDigest(a: Uint8Array, b: Uint8Array): boolean {
  return nodeCrypto().timingSafeEqual(a, b);
}

/** Is one of the signatures the message's, by one of the secrets? With WebCrypto, which every runtime has. */
export async function isSignedAsync(
  secrets: readonly string[],
  message: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  for (const secret of secrets) {
    const key = await subtle.importKey('raw', encoder.encode(secret), ALGORITHM, false, ['verify']);
    for (const signature of signatures) {
      if (await subtle.verify(ALGORITHM, key, signature, message)) return true;
    }
  }
  return false;
}

/** Looked up when it is needed: an import would keep the package from loading where there is none. */
function nodeCrypto(): typeof import('node:crypto') {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto !== undefined) return crypto;
  throw new AffkitConfigurationError('This runtime has no node:crypto: use webhooks.verifyAsync', {
    code: 'runtime_unsupported',
  });
}
