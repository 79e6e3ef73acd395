import { createHmac } from 'node:crypto';
import type { WebhookEvent, WebhookEventType } from '@affkit/protocol';
import { WEBHOOK_ID_PREFIX } from '@affkit/protocol';
import { openSecret, sealSecret } from '../access/seal.ts';
import { isoTime } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import type { WebhookEndpointRow } from '../storage/webhooks/endpoints.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Creates a secret in the format of Standard Webhooks: `whsec_` and base64. */
export function createEndpointSecret(runtime: Pick<Runtime, 'randomBytes'>): string {
  return `${SECRET_PREFIX}${Buffer.from(runtime.randomBytes(SECRET_BYTES)).toString('base64')}`;
}

export function sealEndpointSecret(
  runtime: Pick<Runtime, 'secret' | 'randomBytes'>,
  programId: number,
  secret: string,
): string {
  return sealSecret(runtime, 'webhook-secret', secretOwnerOf(programId), secret);
}

/**
 * Returns the secrets with which a webhook must be signed now: the current secret, and during a rotation also the
 * previous secret.
 * @returns an empty list if none can be decrypted, because the service's own secret has changed
 */
export function signingSecrets(
  runtime: Pick<Runtime, 'secret' | 'now'>,
  { program_id, sealed_secret, previous_secret, previous_until }: WebhookEndpointRow,
): string[] {
  const isPreviousValid = previous_until !== null && previous_until > runtime.now();
  return [sealed_secret, isPreviousValid ? previous_secret : null].flatMap((sealed) => {
    const secret =
      sealed === null ? null : openSecret(runtime, 'webhook-secret', secretOwnerOf(program_id), sealed);
    return secret === null ? [] : [secret];
  });
}

/** Serializes an event. All attempts of a delivery send the same bytes. */
export function webhookBody(event: {
  readonly event_id: number;
  readonly type: WebhookEventType;
  readonly data: string;
  readonly event_at: number;
}): string {
  return JSON.stringify({
    type: event.type,
    timestamp: isoTime(event.event_at),
    sequence: event.event_id,
    data: JSON.parse(event.data) as WebhookEvent['data'],
  });
}

/** Returns the headers of Standard Webhooks, with one signature per secret. */
export function signatureHeaders(
  eventId: number,
  body: string,
  secrets: readonly string[],
  now: number,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const id = `${WEBHOOK_ID_PREFIX}${eventId}`;
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

function secretOwnerOf(programId: number): string {
  return `program ${programId}`;
}
