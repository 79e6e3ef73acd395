import { DAY_MS, HOUR_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { deleteExpired } from '../storage/database/expiry.ts';

/**
 * Deletes a batch of expired rows:
 *
 * - idempotency keys of clicks, after 72 hours
 * - failed sign-ins, after 1 hour
 * - bulk requests with an idempotency key, and their results, after 30 days
 * - emails, after 30 days
 * - webhooks, after 30 days, unless they are queued again
 * - expired sessions and invitations
 * - commit markers of transactions, after 1 hour
 *
 * @returns whether more work may be due
 */
export async function deleteExpiredRows(runtime: Runtime): Promise<boolean> {
  const now = runtime.now();
  return await runtime.engine.write('clicks', (tx) =>
    deleteExpired(tx, {
      clickKeysBefore: now - 72 * HOUR_MS,
      sessionsBefore: now,
      invitesBefore: now,
      loginFailuresBefore: now - HOUR_MS,
      bulkRequestsBefore: now - 30 * DAY_MS,
      emailsBefore: now - 30 * DAY_MS,
      webhooksBefore: now - 30 * DAY_MS,
    }),
  );
}
