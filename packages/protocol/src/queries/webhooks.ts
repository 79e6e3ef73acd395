import type { z } from 'zod';
import { strictQuery } from '../strict-fields.ts';
import { WEBHOOK_EVENT_TYPES } from '../webhook-events.ts';
import { boundsInOrder, choiceFilter, pageFields, rangeFields } from './query-fields.ts';

/** The states of a delivery. */
export const WEBHOOK_DELIVERY_STATUSES = ['queued', 'succeeded', 'failed'] as const;

/** Query of `GET …/webhook-endpoints/:endpointId/deliveries`. */
export const webhookDeliveriesQuery = strictQuery({
  ...pageFields,
  ...rangeFields,
  status: choiceFilter('status', WEBHOOK_DELIVERY_STATUSES).describe('Only deliveries in this state.'),
  type: choiceFilter('type', [...WEBHOOK_EVENT_TYPES, 'webhook.test']).describe(
    'Only deliveries of events of this type.',
  ),
}).check(boundsInOrder);

export type WebhookDeliveriesQuery = z.output<typeof webhookDeliveriesQuery>;
