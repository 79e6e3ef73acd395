import { hkdfSync, type KeyObject } from 'node:crypto';

/** Of the service's secret, in characters. */
export const MIN_SECRET_LENGTH = 32;

/** What a key is for: no two uses share one. */
export type KeyLabel = 'session' | 'login-failure' | 'processor-secret' | 'fingerprint';

/** A 32-byte key for one use, derived from the service's secret by HKDF-SHA256. */
export function deriveKey(secret: KeyObject, label: KeyLabel): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `affkit/${label}`, 32));
}
