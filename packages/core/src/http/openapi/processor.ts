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
    summary: "Receive a processor's webhook",
    description:
      'Called by the processor alone. The header `Stripe-Signature` signs the bytes of the body, by the secret of the connection, within 300 seconds. Whatever is of no use is answered 200 with `ignored` and a `reason`.',
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
      200: reply('What came of it.', webhookReply, {
        'A sale': { success: true, received: true, outcome: 'sale_recorded' },
        'Of no use': { success: true, received: true, outcome: 'ignored', reason: 'metadata_missing' },
      }),
    },
    errors: ['not_found', 'webhook_signature_invalid', 'webhook_event_invalid'],
  },
  [`GET ${PATH}` as const]: {
    id: 'listProcessorConnections',
    tag: 'Processor',
    summary: 'List connections to a payment processor',
    description: 'For owners and admins. Newest first, disconnected ones included.',
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
      'For owners and admins. The secret is kept encrypted and never shown. `connected` from its first verified webhook on.',
    body: body('ProcessorConnectionRequest', {
      'A Stripe account': { processor: 'stripe', account_id: connection.account_id, webhook_secret: SECRET },
    }),
    replies: {
      201: reply('Made.', itemReply(processorConnectionRow), { Made: { success: true, data: pending } }),
    },
    errors: ['workspace_required'],
  },
  [`PUT ${PATH}/:id` as const]: {
    id: 'updateProcessorConnection',
    tag: 'Processor',
    summary: 'Change a connection',
    description: 'For owners and admins. A new secret leaves the one before in force for 24 hours.',
    body: body('ProcessorConnectionChange', {
      'A new secret': { webhook_secret: SECRET },
    }),
    replies: {
      200: reply('Changed.', itemReply(processorConnectionRow), {
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
    description: 'For owners and admins, for good: its webhooks are answered 404 from then on.',
    replies: {
      200: reply('Disconnected.', itemReply(processorConnectionRow), {
        Disconnected: { success: true, data: { ...connection, status: 'disconnected', disconnected_at: AT } },
      }),
    },
    errors: ['not_found'],
  },
};
