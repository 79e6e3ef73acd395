import { HOUR_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { deleteExpired } from '../storage/database/expiry.ts';

/**
 * Drops what has served its time: idempotency keys after 72 h, ended sessions and invitations, failed logins, marks of
 * commits. @returns whether there may be more
 */
export async function expire(runtime: Runtime): Promise<boolean> {
  const now = runtime.now();
  return await runtime.engine.write('clicks', (tx) =>
    deleteExpired(tx, {
      clickKeysBefore: now - 72 * HOUR_MS,
      sessionsBefore: now,
      invitesBefore: now,
      loginFailuresBefore: now - HOUR_MS,
    }),
  );
}
