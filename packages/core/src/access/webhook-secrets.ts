import type { Runtime } from '../runtime.ts';
import type { ProcessorConnection } from '../storage/stripe/processor-connections.ts';
import { openSecret, sealSecret } from './seal.ts';

/** A connection's webhook secret as it is stored. */
export function sealWebhookSecret(runtime: Runtime, workspaceId: number, secret: string): string {
  return sealSecret(runtime, 'processor-secret', ownerOf(workspaceId), secret);
}

/**
 * The secrets by which a webhook may be signed now, the present one first. One that can't be opened, as after a
 * change of the service's secret, is left out.
 */
export function webhookSecretsInForce(runtime: Runtime, connection: ProcessorConnection): string[] {
  const { workspace_id, webhook_secret, previous_secret, previous_until } = connection;
  const isPreviousInForce = previous_until !== null && previous_until > runtime.now();
  return [webhook_secret, isPreviousInForce ? previous_secret : null].flatMap((sealed) => {
    const secret =
      sealed === null ? null : openSecret(runtime, 'processor-secret', ownerOf(workspace_id), sealed);
    return secret === null ? [] : [secret];
  });
}

function ownerOf(workspaceId: number): string {
  return `workspace ${workspaceId}`;
}
