import { hkdfSync, type KeyObject } from 'node:crypto';

/** The minimum length of the service's secret, in characters. */
export const MIN_SECRET_LENGTH = 32;

/** The purpose of a derived key. Each purpose has its own key. */
export type KeyLabel =
  | 'session'
  | 'device'
  | 'login-failure'
  | 'reset-request'
  | 'processor-secret'
  | 'email-token'
  | 'payout-details'
  | 'email-link'
  | 'application'
  | 'application-form'
  | 'webhook-secret'
  | 'fingerprint';

/** Derives the 32-byte key of one purpose from the service's secret, by HKDF-SHA256. */
export function deriveKey(secret: KeyObject, label: KeyLabel): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `affkit/${label}`, 32));
}
