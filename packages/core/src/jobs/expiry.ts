import { HOUR_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { deleteExpired } from '../storage/expiry.ts';

/** Drops what has served its time: idempotency keys after 72 h, ended sessions and invitations, failed logins, marks of commits. */
export async function expire(runtime: Runtime): Promise<void> {
  const now = runtime.now();
  await runtime.engine.write('clicks', (tx) =>
    deleteExpired(tx, {
      clickKeysBefore: now - 72 * HOUR_MS,
      sessionsBefore: now,
      invitesBefore: now,
      loginFailuresBefore: now - HOUR_MS,
    }),
  );
}
