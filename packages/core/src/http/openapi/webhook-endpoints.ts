import {
  doneReply,
  itemReply,
  listReply,
  replayWebhooksReply,
  webhookDeliveryDetailRow,
  webhookDeliveryRow,
  webhookEndpointRow,
  webhookEndpointSecretRow,
  webhookTestReply,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination } from './examples.ts';

const DESCRIBED_ENDPOINTS_PATH = '/api/advertiser/affiliate-programs/:id/webhook-endpoints';
const DESCRIBED_ENDPOINT_PATH = `${DESCRIBED_ENDPOINTS_PATH}/:endpointId` as const;

const exampleEndpoint: z.output<typeof webhookEndpointRow> = {
  id: 1,
  program_id: 1,
  url: 'https://shop.example/webhooks',
  description: 'Order system',
  event_types: ['sale.created', 'commission.approved'],
  status: 'active',
  failures: 0,
  next_attempt_at: null,
  paused_at: null,
  last_success_at: EXAMPLE_TIME,
  last_failure_at: null,
  previous_secret_until: null,
  created_at: EXAMPLE_TIME,
};
const exampleSecret = { ...exampleEndpoint, last_success_at: null, secret: 'whsec_EXAMPLE' };
const exampleDelivery: z.output<typeof webhookDeliveryRow> = {
  id: 1,
  endpoint_id: 1,
  webhook_id: 'evt_42',
  event_type: 'payout.paid',
  status: 'succeeded',
  attempts: 1,
  next_attempt_at: null,
  last_status: 200,
  last_error: null,
  created_at: EXAMPLE_TIME,
  finished_at: EXAMPLE_TIME,
};
const exampleDetail: z.output<typeof webhookDeliveryDetailRow> = {
  ...exampleDelivery,
  event: {
    type: 'payout.paid',
    timestamp: EXAMPLE_TIME,
    sequence: 42,
    data: {
      program_id: 1,
      payout_id: 1,
      partner_id: 1,
      status: 'paid',
      amount_cents: 3000,
      currency: 'USD',
      reference: 'TR-2026-0042',
    },
  },
  log: [
    {
      attempt: 1,
      attempted_at: EXAMPLE_TIME,
      duration_ms: 84,
      request_headers: {
        'content-type': 'application/json',
        'webhook-id': 'evt_42',
        'webhook-timestamp': '1769860800',
        'webhook-signature': 'v1,EXAMPLE',
      },
      status: 200,
      response_headers: { 'content-type': 'text/plain' },
      response_body: 'ok',
      error: null,
    },
  ],
};
const REQUIRED_ROLE_TEXT = 'Requires the role owner or admin.';

export const webhookEndpointDescriptions: Descriptions = {
  [`GET ${DESCRIBED_ENDPOINTS_PATH}` as const]: {
    id: 'listWebhookEndpoints',
    tag: 'Webhooks',
    summary: 'List webhook endpoints',
    description: `${REQUIRED_ROLE_TEXT} Oldest first. A program has at most 20, so the list has one page.`,
    replies: {
      200: reply('All endpoints.', listReply(webhookEndpointRow), {
        One: {
          success: true,
          data: [exampleEndpoint],
          meta: { pagination: { ...examplePagination(1).pagination, pageSize: 100 } },
        },
      }),
    },
  },
  [`POST ${DESCRIBED_ENDPOINTS_PATH}` as const]: {
    id: 'createWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Create a webhook endpoint',
    description: `${REQUIRED_ROLE_TEXT} The service then sends each new event of the endpoint’s types to the URL, signed as the Standard Webhooks specification defines. Events are sent at least once, and retried for three days. The secret is stored encrypted and never shown again.`,
    body: body('NewWebhookEndpoint', {
      'An endpoint': { url: exampleEndpoint.url, event_types: exampleEndpoint.event_types },
    }),
    replies: {
      201: reply('The endpoint with its secret.', itemReply(webhookEndpointSecretRow), {
        Created: { success: true, data: exampleSecret },
      }),
    },
    errors: ['conflict'],
  },
  [`GET ${DESCRIBED_ENDPOINT_PATH}` as const]: {
    id: 'getWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Get a webhook endpoint',
    description: REQUIRED_ROLE_TEXT,
    replies: {
      200: reply('The endpoint.', itemReply(webhookEndpointRow), {
        One: { success: true, data: exampleEndpoint },
      }),
    },
    errors: ['not_found'],
  },
  [`PUT ${DESCRIBED_ENDPOINT_PATH}` as const]: {
    id: 'updateWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Change a webhook endpoint',
    description: `${REQUIRED_ROLE_TEXT} Fields that are absent do not change. Queued deliveries are sent to the new URL.`,
    body: body('WebhookEndpointChange', { 'All sales': { event_types: ['sale.created'] } }),
    replies: {
      200: reply('The endpoint.', itemReply(webhookEndpointRow), {
        Changed: { success: true, data: exampleEndpoint },
      }),
    },
    errors: ['not_found'],
  },
  [`DELETE ${DESCRIBED_ENDPOINT_PATH}` as const]: {
    id: 'deleteWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Delete a webhook endpoint',
    description: `${REQUIRED_ROLE_TEXT} Queued deliveries are never sent.`,
    replies: { 200: reply('The endpoint is deleted.', doneReply, { Deleted: { success: true } }) },
    errors: ['not_found'],
  },
  [`POST ${DESCRIBED_ENDPOINT_PATH}/rotate-secret` as const]: {
    id: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Replace the secret of a webhook endpoint',
    description: `${REQUIRED_ROLE_TEXT} For 24 hours, webhooks have two signatures: one with the new secret, and one with the previous secret. If you replace the secret again within this time, the older secret is no longer used.`,
    replies: {
      200: reply('The endpoint with its new secret.', itemReply(webhookEndpointSecretRow), {
        Replaced: {
          success: true,
          data: { ...exampleSecret, previous_secret_until: '2026-02-01T12:00:00.000Z' },
        },
      }),
    },
    errors: ['not_found'],
  },
  [`POST ${DESCRIBED_ENDPOINT_PATH}/pause` as const]: {
    id: 'pauseWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Pause a webhook endpoint',
    description: `${REQUIRED_ROLE_TEXT} Events wait until the endpoint is resumed, for up to three days.`,
    replies: {
      200: reply('The endpoint.', itemReply(webhookEndpointRow), {
        Paused: { success: true, data: { ...exampleEndpoint, status: 'paused', paused_at: EXAMPLE_TIME } },
      }),
    },
    errors: ['not_found'],
  },
  [`POST ${DESCRIBED_ENDPOINT_PATH}/resume` as const]: {
    id: 'resumeWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Resume a webhook endpoint',
    description: REQUIRED_ROLE_TEXT,
    replies: {
      200: reply('The endpoint.', itemReply(webhookEndpointRow), {
        Resumed: { success: true, data: exampleEndpoint },
      }),
    },
    errors: ['not_found'],
  },
  [`POST ${DESCRIBED_ENDPOINT_PATH}/test` as const]: {
    id: 'testWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Send a test event to a webhook endpoint',
    description: `${REQUIRED_ROLE_TEXT} Queues an event of the type \`webhook.test\` for this endpoint only.`,
    replies: {
      200: reply('The delivery. Read it to see the result.', webhookTestReply, {
        Queued: { success: true, data: { delivery_id: 1 } },
      }),
    },
    errors: ['not_found'],
  },
  [`POST ${DESCRIBED_ENDPOINT_PATH}/replay` as const]: {
    id: 'replayWebhooks',
    tag: 'Webhooks',
    summary: 'Send webhooks of a time range again',
    description: `${REQUIRED_ROLE_TEXT} Queues at most 10,000 deliveries, with the same events and ids as before. They are tried for another three days. A repeated request sends them once more.`,
    body: body('WebhookReplay', {
      'Everything that failed on one day': { from: '2026-01-31', to: '2026-01-31' },
    }),
    replies: {
      200: reply('The number of deliveries.', replayWebhooksReply, {
        Queued: { success: true, data: { replayed: 12 } },
      }),
    },
    errors: ['not_found'],
  },
  [`GET ${DESCRIBED_ENDPOINT_PATH}/deliveries` as const]: {
    id: 'listWebhookDeliveries',
    tag: 'Webhooks',
    summary: 'List the deliveries of a webhook endpoint',
    description: `${REQUIRED_ROLE_TEXT} Newest first. Deliveries are kept for 30 days.`,
    replies: {
      200: reply('A page of deliveries.', listReply(webhookDeliveryRow), {
        One: { success: true, data: [exampleDelivery], meta: examplePagination(1) },
      }),
    },
    errors: ['not_found'],
  },
  [`GET ${DESCRIBED_ENDPOINT_PATH}/deliveries/:deliveryId` as const]: {
    id: 'getWebhookDelivery',
    tag: 'Webhooks',
    summary: 'Get a delivery with its event and its log',
    description: REQUIRED_ROLE_TEXT,
    replies: {
      200: reply('The delivery.', itemReply(webhookDeliveryDetailRow), {
        One: { success: true, data: exampleDetail },
      }),
    },
    errors: ['not_found'],
  },
  [`POST ${DESCRIBED_ENDPOINT_PATH}/deliveries/:deliveryId/replay` as const]: {
    id: 'replayWebhookDelivery',
    tag: 'Webhooks',
    summary: 'Send a webhook again',
    description: `${REQUIRED_ROLE_TEXT} Queues the delivery again, with the same event and id.`,
    replies: {
      200: reply('The delivery.', itemReply(webhookDeliveryDetailRow), {
        Queued: { success: true, data: { ...exampleDetail, status: 'queued', finished_at: null } },
      }),
    },
    errors: ['not_found'],
  },
};
