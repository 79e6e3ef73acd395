import { itemReply, listReply, processorConnectionRow, webhookReply } from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { AT, page } from './examples.ts';

const PATH = '/api/advertiser/processor-connections';

const connection: z.output<typeof processorConnectionRow> = {
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
  connected_at: AT,
  disconnected_at: null,
  created_at: AT,
};
const pending = { ...connection, status: 'pending' as const, connected_at: null };
const SECRET = 'whsec_EXAMPLE';

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
  [`GET ${PATH}` as const]: {
    id: 'listProcessorConnections',
    tag: 'Processor',
    summary: 'List connections to a payment processor',
    description: 'Requires the role owner or admin. Newest first, including disconnected connections.',
    replies: {
      200: reply('A page of connections.', listReply(processorConnectionRow), {
        One: { success: true, data: [connection], meta: page(1) },
      }),
    },
  },
  [`POST ${PATH}` as const]: {
    id: 'createProcessorConnection',
    tag: 'Processor',
    summary: 'Connect a payment processor',
    description:
      'Requires the role owner or admin. The secret is stored encrypted and never returned. The status becomes `connected` with the first verified webhook.',
    body: body('ProcessorConnectionRequest', {
      'A Stripe account': { processor: 'stripe', account_id: connection.account_id, webhook_secret: SECRET },
    }),
    replies: {
      201: reply('The new connection.', itemReply(processorConnectionRow), {
        Made: { success: true, data: pending },
      }),
    },
    errors: ['workspace_required'],
  },
  [`PUT ${PATH}/:id` as const]: {
    id: 'updateProcessorConnection',
    tag: 'Processor',
    summary: 'Update a connection',
    description:
      'Requires the role owner or admin. After a change of the secret, the previous secret remains valid for 24 hours.',
    body: body('ProcessorConnectionChange', {
      'A new secret': { webhook_secret: SECRET },
    }),
    replies: {
      200: reply('The updated connection.', itemReply(processorConnectionRow), {
        Changed: {
          success: true,
          data: { ...connection, previous_secret_until: '2026-02-01T12:00:00.000Z' },
        },
      }),
    },
    errors: ['not_found', 'conflict'],
  },
  [`DELETE ${PATH}/:id` as const]: {
    id: 'deleteProcessorConnection',
    tag: 'Processor',
    summary: 'Disconnect a processor',
    description: 'Requires the role owner or admin. This cannot be undone: later webhooks get a 404.',
    replies: {
      200: reply('The disconnected connection.', itemReply(processorConnectionRow), {
        Disconnected: { success: true, data: { ...connection, status: 'disconnected', disconnected_at: AT } },
      }),
    },
    errors: ['not_found'],
  },
};
