import { createHmac } from 'node:crypto';
import type { Runtime } from '../runtime.ts';
import { PEOPLE_LANE } from '../storage/people.ts';
import { keepFirstFingerprint } from '../storage/secret-fingerprint.ts';
import { deriveKey } from './derive-key.ts';

/** Tells the operator where the secret is not the one of the database's first start. It goes on all the same. */
export async function checkSecret(runtime: Runtime): Promise<void> {
  const key = deriveKey(runtime.secret, 'fingerprint');
  const fingerprint = createHmac('sha256', key).update('affkit').digest('hex');
  const first = await runtime.engine.write(PEOPLE_LANE, (tx) => keepFirstFingerprint(tx, fingerprint));
  if (first === fingerprint) return;
  runtime.log.error(
    {},
    "AFFKIT_SECRET is not the one this database was set up with: sessions end, and stored webhook secrets can't be read",
  );
}
