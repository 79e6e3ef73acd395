import {
  itemReply,
  listReply,
  payoutWebhookReply,
  processorConnectionRow,
  webhookReply,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination } from './examples.ts';

const DESCRIBED_CONNECTIONS_PATH = '/api/advertiser/processor-connections';

const exampleConnection: z.output<typeof processorConnectionRow> = {
  id: 1,
  workspace_id: 1,
  processor: 'stripe',
  account_id: 'acct_1032D82eZvKYlo2C',
  mode: 'live',
  record_test_events: false,
  status: 'connected',
  charges_enabled: true,
  payouts_enabled: true,
  details_submitted: true,
  webhook_path: '/api/v1/webhooks/processor/1',
  previous_secret_until: null,
  connected_at: EXAMPLE_TIME,
  disconnected_at: null,
  created_at: EXAMPLE_TIME,
};
const examplePendingConnection = { ...exampleConnection, status: 'pending' as const, connected_at: null };
const EXAMPLE_WEBHOOK_SECRET = 'whsec_EXAMPLE';

export const processorDescriptions: Descriptions = {
  'POST /api/v1/webhooks/processor/:connectionId': {
    id: 'receiveProcessorWebhook',
    tag: 'Processor',
    summary: 'Receive a webhook of the processor',
    description:
      'Only the processor calls this route. The header `Stripe-Signature` must sign the raw body with the secret of the connection and be at most 300 seconds old. An event that changes no data gets a 200 with `ignored` and a `reason`.',
    body: body('ProcessorEvent', {
      'A paid checkout': {
        id: 'evt_1',
        type: 'checkout.session.completed',
        created: 1_769_860_800,
        data: {
          object: {
            id: 'cs_1',
            mode: 'payment',
            payment_status: 'paid',
            payment_intent: 'pi_1',
            amount_total: 1999,
            currency: 'usd',
            metadata: { program_id: '1', service_customer_key: 'user-1' },
          },
        },
      },
    }),
    replies: {
      200: reply('The effect of the event.', webhookReply, {
        'A sale': { success: true, received: true, outcome: 'sale_recorded' },
        'An ignored event': { success: true, received: true, outcome: 'ignored', reason: 'metadata_missing' },
      }),
    },
    errors: ['not_found', 'webhook_signature_invalid', 'webhook_event_invalid', 'request_timeout'],
  },
  'POST /api/v1/webhooks/payouts/paypal': {
    id: 'receivePayPalWebhook',
    tag: 'Processor',
    summary: 'Receive a webhook of PayPal about payouts',
    description:
      'Only PayPal calls this route. The service asks PayPal to verify the headers `PayPal-*` and the raw body. The event only names payouts: the service reads their state from PayPal.',
    body: body('PayoutEvent', { 'A payout': { id: 'WH-1', event_type: 'PAYMENT.PAYOUTS-ITEM.SUCCEEDED' } }),
    replies: {
      200: reply('The number of payouts of this service that the event names.', payoutWebhookReply, {
        One: { success: true, received: true, payouts: 1 },
      }),
    },
    errors: ['payout_provider_missing', 'webhook_signature_invalid', 'request_timeout'],
  },
  'POST /api/v1/webhooks/payouts/stripe': {
    id: 'receiveStripePayoutWebhook',
    tag: 'Processor',
    summary: 'Receive a Stripe webhook about a transfer',
    description:
      'Only Stripe calls this route. The header `Stripe-Signature` must sign the raw body, and be at most 300 seconds old. The event only names a transfer: the service reads its state from Stripe.',
    body: body('PayoutEvent', { 'A transfer': { id: 'evt_1', type: 'transfer.reversed' } }),
    replies: {
      200: reply('The number of payouts of this service that the event names.', payoutWebhookReply, {
        One: { success: true, received: true, payouts: 1 },
      }),
    },
    errors: ['payout_provider_missing', 'webhook_signature_invalid', 'request_timeout'],
  },
  [`GET ${DESCRIBED_CONNECTIONS_PATH}` as const]: {
    id: 'listProcessorConnections',
    tag: 'Processor',
    summary: 'List connections to a payment processor',
    description: 'Requires the role owner or admin. Newest first, including disconnected connections.',
    replies: {
      200: reply('A page of connections.', listReply(processorConnectionRow), {
        One: { success: true, data: [exampleConnection], meta: examplePagination(1) },
      }),
    },
  },
  [`POST ${DESCRIBED_CONNECTIONS_PATH}` as const]: {
    id: 'createProcessorConnection',
    tag: 'Processor',
    summary: 'Connect a payment processor',
    description:
      'Requires the role owner or admin. The secret is stored encrypted and never returned. The status becomes `connected` with the first verified webhook.',
    body: body('ProcessorConnectionRequest', {
      'A Stripe account': {
        processor: 'stripe',
        account_id: exampleConnection.account_id,
        webhook_secret: EXAMPLE_WEBHOOK_SECRET,
      },
    }),
    replies: {
      201: reply('The new connection.', itemReply(processorConnectionRow), {
        Made: { success: true, data: examplePendingConnection },
      }),
    },
    errors: ['workspace_required'],
  },
  [`PUT ${DESCRIBED_CONNECTIONS_PATH}/:id` as const]: {
    id: 'updateProcessorConnection',
    tag: 'Processor',
    summary: 'Update a connection',
    description:
      'Requires the role owner or admin. After a change of the secret, the previous secret remains valid for 24 hours, or until the next change.',
    body: body('ProcessorConnectionChange', {
      'A new secret': { webhook_secret: EXAMPLE_WEBHOOK_SECRET },
    }),
    replies: {
      200: reply('The updated connection.', itemReply(processorConnectionRow), {
        Changed: {
          success: true,
          data: { ...exampleConnection, previous_secret_until: '2026-02-01T12:00:00.000Z' },
        },
      }),
    },
    errors: ['not_found', 'conflict'],
  },
  [`DELETE ${DESCRIBED_CONNECTIONS_PATH}/:id` as const]: {
    id: 'deleteProcessorConnection',
    tag: 'Processor',
    summary: 'Disconnect a processor',
    description: 'Requires the role owner or admin. This cannot be undone. Later webhooks get a 404.',
    replies: {
      200: reply('The disconnected connection.', itemReply(processorConnectionRow), {
        Disconnected: {
          success: true,
          data: { ...exampleConnection, status: 'disconnected', disconnected_at: EXAMPLE_TIME },
        },
      }),
    },
    errors: ['not_found'],
  },
};
