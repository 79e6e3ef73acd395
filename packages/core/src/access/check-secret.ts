import { createHmac } from 'node:crypto';
import type { Runtime } from '../runtime.ts';
import { storeFingerprintIfNew } from '../storage/accounts/secret-fingerprint.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import { deriveKey } from './derive-key.ts';

/**
 * Logs an error when the service's secret is not the first secret that the database was used with. The
 * database stores a fingerprint of that first secret. The service still starts, because new sessions work with
 * the new secret.
 */
export async function checkServerSecret(runtime: Runtime): Promise<void> {
  const key = deriveKey(runtime.secret, 'fingerprint');
  const fingerprint = createHmac('sha256', key).update('affkit').digest('hex');
  const first = await runtime.engine.write(SERVICE_LANE, (tx) => storeFingerprintIfNew(tx, fingerprint));
  if (first === fingerprint) return;
  runtime.log.error(
    {},
    'AFFKIT_SECRET is not the secret that this database was set up with: ' +
      'all sessions are invalid, and stored webhook secrets and payout details cannot be decrypted. ' +
      'Restore the old secret if you can.',
  );
}
