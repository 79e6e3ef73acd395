import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import { expireDeliveries, hasExpiredDelivery } from '../storage/webhooks/deliveries.ts';
import { findEndpointById } from '../storage/webhooks/endpoints.ts';
import { notifyDeadLetters } from './webhook-notices.ts';

const EXPIRY_BATCH_SIZE = 500;

/**
 * Gives up deliveries that could not be tried within three days, because their endpoint was paused or blocked.
 * @returns whether more deliveries may have expired
 */
export async function expireWebhooks(runtime: Runtime): Promise<boolean> {
  if (!(await hasExpiredDelivery(runtime.engine.read, runtime.now()))) return false;
  const expired = await runtime.engine.write(
    SERVICE_LANE,
    async (tx) => {
      const dead = await expireDeliveries(tx, runtime.now(), EXPIRY_BATCH_SIZE);
      for (const { endpointId, count } of dead) {
        const endpoint = await findEndpointById(tx.db, endpointId);
        // A paused endpoint needs no notification. If a user has paused it, the user knows that nothing is
        // sent. If Affkit has paused it after a reply with the status 410, Affkit has already notified the
        // advertiser.
        if (endpoint?.deleted_at === null && endpoint.paused_at === null) {
          await notifyDeadLetters(tx, runtime, endpoint, count);
        }
      }
      return dead.reduce((sum, { count }) => sum + count, 0);
    },
    () => [],
  );
  runtime.telemetry?.measure('affkit.webhook.expired', expired);
  return expired === EXPIRY_BATCH_SIZE;
}
