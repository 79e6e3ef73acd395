import { z } from 'zod';
import { WEBHOOK_DELIVERY_STATUSES } from '../queries/webhooks.ts';
import { WEBHOOK_EVENT_TYPES, webhookEvent } from '../webhook-events.ts';
import { count, createdAt, id, programId, rowId, time } from './envelope.ts';

const httpStatus = z.int().nullable().describe('HTTP status of the response. Null without a response.');
const headers = z.record(z.string(), z.string());

export const webhookEndpointRow = z.object({
  id,
  program_id: programId,
  url: z.string().describe('URL that receives the events.'),
  description: z.string().nullable().describe('Note for your team.'),
  event_types: z.array(z.enum(WEBHOOK_EVENT_TYPES)).describe('Types of the events to send.'),
  status: z
    .enum(['active', 'failing', 'paused', 'gone'])
    .describe(
      '`failing`: the latest attempts failed, so the service pauses between attempts. `gone`: paused, because it answered with 410. While an endpoint is paused, events wait for up to three days.',
    ),
  failures: count.describe('Number of failed attempts since the last success.'),
  next_attempt_at: time
    .nullable()
    .describe('When the pause after failed attempts ends. Null without a pause.'),
  paused_at: time.nullable().describe('When the endpoint was paused.'),
  last_success_at: time.nullable().describe('When the endpoint last answered with a 2xx status.'),
  last_failure_at: time.nullable().describe('When an attempt last failed.'),
  previous_secret_until: time
    .nullable()
    .describe(
      'Until this time, webhooks are also signed with the previous secret. Null if the secret was never replaced.',
    ),
  created_at: createdAt,
});

/** An endpoint with its new secret. */
export const webhookEndpointSecretRow = webhookEndpointRow.extend({
  secret: z.string().describe('Signing secret. Only this reply shows it.'),
});

export const webhookDeliveryRow = z.object({
  id,
  endpoint_id: rowId.describe('Id of the endpoint.'),
  webhook_id: z.string().describe('Value of the header `webhook-id`.'),
  event_type: z.enum([...WEBHOOK_EVENT_TYPES, 'webhook.test']).describe('Type of the event.'),
  status: z
    .enum(WEBHOOK_DELIVERY_STATUSES)
    .describe(
      '`queued`: waits for its first attempt or a retry. `failed`: the service makes no further attempts.',
    ),
  attempts: count.describe('Number of attempts so far.'),
  next_attempt_at: time.nullable().describe('Earliest time of the next attempt. Null if there is none.'),
  last_status: httpStatus,
  last_error: z.string().nullable().describe('Why the latest attempt failed.'),
  created_at: time.describe('When the event happened.'),
  finished_at: time.nullable().describe('When the delivery succeeded, or when the service stopped trying.'),
});

export const webhookAttemptRow = z.object({
  attempt: rowId.describe('Number of the attempt.'),
  attempted_at: time.describe('When the request was sent.'),
  duration_ms: count.describe('Duration in milliseconds.'),
  request_headers: headers.describe('Headers of the request.'),
  status: httpStatus,
  response_headers: headers.nullable().describe('Headers of the response.'),
  response_body: z.string().nullable().describe('The first 1,024 bytes of the response.'),
  error: z.string().nullable().describe('Why the attempt failed.'),
});

export const webhookDeliveryDetailRow = webhookDeliveryRow.extend({
  event: webhookEvent.describe('The body of the request.'),
  log: z.array(webhookAttemptRow).describe('The attempts, oldest first.'),
});

/** Reply of `POST …/webhook-endpoints/:endpointId/test`. */
export const webhookTestReply = z.object({
  success: z.literal(true),
  data: z.object({ delivery_id: rowId.describe('Id of the delivery.') }),
});

/** Reply of `POST …/webhook-endpoints/:endpointId/replay`. */
export const replayWebhooksReply = z.object({
  success: z.literal(true),
  data: z.object({ replayed: count.describe('Number of deliveries that were queued again.') }),
});
