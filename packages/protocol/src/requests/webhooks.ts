import { z } from 'zod';
import { freeText, isStorable, MAX_URL_LENGTH } from '../fields.ts';
import { DAY_MS, oneOf, timeBound } from '../queries/query-fields.ts';
import { strictFields } from '../strict-fields.ts';
import { WEBHOOK_EVENT_TYPES } from '../webhook-events.ts';

const url = z
  .string({ error: 'url must be a string' })
  .max(MAX_URL_LENGTH, { error: `url must be at most ${MAX_URL_LENGTH} characters` })
  .refine(isStorable, { error: 'url must not contain NUL or lone surrogates' })
  .meta({ examples: ['https://shop.example/webhooks'] })
  .describe('URL that receives the events. It must begin with `https://`, and name a host on the internet.');
const eventTypes = z
  .array(oneOf('each of event_types', WEBHOOK_EVENT_TYPES), { error: 'event_types must be a list' })
  .min(1, { error: 'event_types must contain at least one type' })
  .max(WEBHOOK_EVENT_TYPES.length, { error: 'event_types must not repeat types' })
  .describe('Types of the events to send.');
const description = freeText('description').describe('Note for your team.');

const BOUND_TEXT = 'a date or instant (ISO 8601, UTC unless it has a zone), inclusive.';

/** Body of `POST …/webhook-endpoints`. */
export const createWebhookEndpointRequest = strictFields({
  url,
  event_types: eventTypes,
  description: description.optional(),
});

/** Body of `PUT …/webhook-endpoints/:endpointId`. */
export const updateWebhookEndpointRequest = strictFields({
  url: url.optional(),
  event_types: eventTypes.optional(),
  description: description.nullable().describe('Note for your team. Null removes it.').optional(),
});

/** Body of `POST …/webhook-endpoints/:endpointId/replay`. */
export const replayWebhooksRequest = strictFields({
  from: timeBound('from', 0).describe(`Start of the time range of the events: ${BOUND_TEXT}`),
  to: timeBound('to', DAY_MS - 1).describe(`End of the time range of the events: ${BOUND_TEXT}`),
  status: oneOf('status', ['failed', 'succeeded', 'all'])
    .describe('The deliveries to send again. Defaults to `failed`.')
    .optional(),
});

export type CreateWebhookEndpointRequest = z.input<typeof createWebhookEndpointRequest>;
export type UpdateWebhookEndpointRequest = z.input<typeof updateWebhookEndpointRequest>;
export type ReplayWebhooksRequest = z.input<typeof replayWebhooksRequest>;
