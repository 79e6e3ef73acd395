import { insertEndpoint, saveSubscriptions } from '../../src/storage/webhooks/endpoints.ts';
import { insertTestDelivery } from '../../src/storage/webhooks/events.ts';
import { sealEndpointSecret } from '../../src/webhooks/signature.ts';
import type { World } from './management-world.ts';

/** Adds a webhook endpoint with a delivery, even if the program has 20 endpoints. @returns their ids */
export async function addWebhookEndpoint(
  { affkit, engine, clock }: Pick<World, 'affkit' | 'engine' | 'clock'>,
  workspaceId: number,
  programId: number,
): Promise<{ readonly endpointId: number; readonly deliveryId: number }> {
  return await engine.write(workspaceId, async (tx) => {
    const endpoint = await insertEndpoint(tx, {
      workspace_id: workspaceId,
      program_id: programId,
      url: 'https://hooks.example/',
      event_types: '["payout.paid"]',
      sealed_secret: sealEndpointSecret(affkit.runtime, programId, 'whsec_b2YtdGhlLWZpeHR1cmU='),
      created_at: clock.now,
    });
    await saveSubscriptions(tx, programId);
    const data = { program_id: programId, endpoint_id: endpoint.id, message: 'test' };
    const event = { type: 'webhook.test' as const, data, programId };
    return {
      endpointId: endpoint.id,
      deliveryId: await insertTestDelivery(tx, endpoint.id, event, clock.now),
    };
  });
}
