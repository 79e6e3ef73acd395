import { createHmac } from 'node:crypto';
import type { Runtime } from '../runtime.ts';
import { keepFirstFingerprint } from '../storage/accounts/secret-fingerprint.ts';
import { ACCOUNTS_LANE } from '../storage/accounts/users.ts';
import { deriveKey } from './derive-key.ts';

/** Tells the operator where the secret is not the one of the database's first start. It goes on all the same. */
export async function checkSecret(runtime: Runtime): Promise<void> {
  const key = deriveKey(runtime.secret, 'fingerprint');
  const fingerprint = createHmac('sha256', key).update('affkit').digest('hex');
  const first = await runtime.engine.write(ACCOUNTS_LANE, (tx) => keepFirstFingerprint(tx, fingerprint));
  if (first === fingerprint) return;
  runtime.log.error(
    {},
    "AFFKIT_SECRET is not the one this database was set up with: sessions end, and stored webhook secrets can't be read",
  );
}
