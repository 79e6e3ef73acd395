import type { Runtime } from '../runtime.ts';

/**
 * Returns a new idempotency key for a payment by a provider. The key is random, because other installations
 * may use the same account at the provider.
 */
export function newTransferKey(runtime: Runtime): string {
  return Buffer.from(runtime.randomBytes(16)).toString('hex');
}
