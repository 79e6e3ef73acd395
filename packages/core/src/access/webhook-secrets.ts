import type { Runtime } from '../runtime.ts';
import type { ProcessorConnectionRow } from '../storage/stripe/processor-connections.ts';
import { openSecret, sealSecret } from './seal.ts';

/** Encrypts a connection's webhook secret for storage. */
export function sealWebhookSecret(runtime: Runtime, workspaceId: number, secret: string): string {
  return sealSecret(runtime, 'processor-secret', secretOwnerOf(workspaceId), secret);
}

/**
 * Returns the secrets that may have signed a webhook: the current secret first, then the previous one during a
 * rotation. A secret that cannot be decrypted is skipped, for example after a change of the service's own
 * secret.
 */
export function validWebhookSecrets(runtime: Runtime, connection: ProcessorConnectionRow): string[] {
  const { workspace_id, webhook_secret, previous_secret, previous_until } = connection;
  const isPreviousValid = previous_until !== null && previous_until > runtime.now();
  return [webhook_secret, isPreviousValid ? previous_secret : null].flatMap((sealed) => {
    const secret =
      sealed === null ? null : openSecret(runtime, 'processor-secret', secretOwnerOf(workspace_id), sealed);
    return secret === null ? [] : [secret];
  });
}

function secretOwnerOf(workspaceId: number): string {
  return `workspace ${workspaceId}`;
}
