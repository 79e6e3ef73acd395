import {
  createPayoutBatchReply,
  importPayoutResultsReply,
  itemReply,
  listReply,
  payoutBatchDetailRow,
  payoutBatchRow,
  payoutSettingsRow,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, joinParagraphs, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination, examplePartner, examplePayout } from './examples.ts';

const DESCRIBED_PROGRAM_PATH = '/api/advertiser/affiliate-programs/:id';

const exampleBatch: z.output<typeof payoutBatchRow> = {
  id: 1,
  channel: 'file:paypal',
  currency: 'USD',
  status: 'open',
  payouts: 1,
  amount_cents: examplePayout.amount_cents,
  sent: 1,
  paid: 0,
  failed: 0,
  cancelled: 0,
  unsent: 1,
  unclear: 0,
  created_at: EXAMPLE_TIME,
  downloaded_at: null,
  closed_at: null,
};

const exampleSettings: z.output<typeof payoutSettingsRow> = {
  min_payout_cents: 5000,
  schedule_day: 1,
  debtor: { name: 'Tea Shop GmbH', iban_masked: 'DE89…3000', bic: 'COBADEFFXXX' },
  providers: ['paypal'],
};

export const payoutBatchDescriptions: Descriptions = {
  [`GET ${DESCRIBED_PROGRAM_PATH}/payout-batches`]: {
    id: 'listPayoutBatches',
    tag: 'Payouts',
    summary: 'List batches of payouts',
    replies: {
      200: reply('A page of batches, newest first.', listReply(payoutBatchRow), {
        One: { success: true, data: [exampleBatch], meta: examplePagination(1) },
      }),
    },
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/payout-batches`]: {
    id: 'createPayoutBatch',
    tag: 'Payouts',
    summary: 'Put pending payouts into a batch',
    description: joinParagraphs(
      'A payout is in at most one open batch. While it is in a batch, the payout cannot be cancelled. Refunds then reduce the balance of the partner instead of the payout, like refunds after the payment.',
      'The file contains the payout details from the time when the batch was created, even if they change later.',
      'With `provider:paypal` or `provider:stripe`, there is no file: the service sends the payouts immediately and records their results. Such a payout can be marked as paid by hand only if its result has become unclear.',
    ),
    body: body('PayoutBatchOrder', {
      'All for PayPal': { channel: 'file:paypal', currency: 'USD' },
      'All payouts, sent through the PayPal API': { channel: 'provider:paypal', currency: 'USD' },
      'Two by SEPA': { channel: 'file:sepa', currency: 'EUR', payout_ids: [1, 2] },
    }),
    replies: {
      200: reply('No payout can be sent, so there is no batch.', createPayoutBatchReply, {
        None: {
          success: true,
          data: null,
          left_out: [{ payout_id: 1, partner_id: examplePartner.id, reason: 'no_details' }],
          left_out_total: 1,
        },
      }),
      201: reply('The batch, and the payouts that are not in it.', createPayoutBatchReply, {
        One: {
          success: true,
          data: exampleBatch,
          left_out: [{ payout_id: 2, partner_id: 2, reason: 'other_method' }],
          left_out_total: 1,
        },
      }),
    },
    errors: ['invalid_field', 'debtor_required', 'payout_provider_missing'],
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/payout-batches/:batchId`]: {
    id: 'readPayoutBatch',
    tag: 'Payouts',
    summary: 'Get a batch with its payouts',
    replies: {
      200: reply('The batch.', itemReply(payoutBatchDetailRow), {
        One: {
          success: true,
          data: {
            ...exampleBatch,
            items: [
              {
                payout_id: examplePayout.id,
                partner_id: examplePartner.id,
                partner_name: examplePartner.name,
                status: 'sent',
                amount_cents: examplePayout.amount_cents,
                withheld_cents: 0,
                reference: null,
                reason: null,
                transfer_state: null,
                transfer_id: null,
                transfer_error: null,
                closed_at: null,
              },
            ],
          },
        },
      }),
    },
    errors: ['not_found'],
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/payout-batches/:batchId/file`]: {
    id: 'downloadPayoutFile',
    tag: 'Payouts',
    summary: 'Download the file of a batch',
    description:
      'The file of a batch never changes. It contains the account numbers of the partners. A SEPA file is XML, all other files are CSV. After the first download, the batch cannot be cancelled. As soon as the first payout of the batch has a result, the file can no longer be downloaded (409 `payout_batch_state`), because it could pay that payout twice.',
    replies: {
      200: {
        text: 'The file.',
        mediaType: 'text/csv',
        examples: { 'For PayPal': 'anna@blog.example,30.00,USD,P1-1,Tea Shop,PAYPAL\r\n' },
      },
    },
    errors: ['not_found', 'payout_batch_state', 'payout_file_lost'],
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/payout-batches/:batchId/cancel`]: {
    id: 'cancelPayoutBatch',
    tag: 'Payouts',
    summary: 'Cancel a batch that was not sent',
    description:
      'Releases the payouts that have certainly not been sent: all payouts of a file that was never downloaded, or the payouts that still wait for the payment service. They are pending again, and another batch can send them. Payouts that were sent remain in the batch. A repeated request changes nothing.',
    replies: {
      200: reply('The batch.', itemReply(payoutBatchRow), {
        Cancelled: {
          success: true,
          data: {
            ...exampleBatch,
            status: 'closed',
            sent: 0,
            cancelled: 1,
            unsent: 0,
            closed_at: EXAMPLE_TIME,
          },
        },
      }),
    },
    errors: ['not_found', 'payout_batch_state'],
  },
  [`POST ${DESCRIBED_PROGRAM_PATH}/payout-batches/:batchId/import`]: {
    id: 'importPayoutResults',
    tag: 'Payouts',
    summary: 'Import the results of a batch',
    description:
      'The file is in UTF-8, and has at most 5,000 rows and 4 MiB. The first line decides whether commas, semicolons, or tabs separate the cells. Each row is applied separately. `paid` marks the payout as paid, with its reference. `failed` releases the payout from the batch, so that it is pending again. A repeated import changes nothing.',
    file: {
      mediaType: 'text/csv',
      examples: {
        'One paid, one failed':
          'payout_id,status,reference,reason\r\n1,paid,TX-1,\r\n2,failed,,Account closed\r\n',
      },
    },
    replies: {
      200: reply('The result for each row.', importPayoutResultsReply, {
        'One of two rows applied': {
          success: true,
          data: [
            { line: 2, ok: true, payout_id: 1, status: 'paid', is_changed: true },
            { line: 3, ok: false, code: 'invalid_field', error: 'Batch 1 does not contain payout 2. …' },
          ],
          meta: { dry_run: false, paid: 1, failed: 0, unchanged: 0, rejected: 1 },
        },
      }),
    },
    errors: ['not_found', 'invalid_field', 'body_too_large'],
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/payout-settings`]: {
    id: 'readPayoutSettings',
    tag: 'Payouts',
    summary: 'Get the payout settings of a program',
    replies: {
      200: reply('The settings.', itemReply(payoutSettingsRow), {
        'A monthly schedule': { success: true, data: exampleSettings },
      }),
    },
  },
  [`PUT ${DESCRIBED_PROGRAM_PATH}/payout-settings`]: {
    id: 'updatePayoutSettings',
    tag: 'Payouts',
    summary: 'Change the payout settings of a program',
    description: 'Settings that are not in the request do not change. Null removes a setting.',
    body: body('PayoutSettingsChange', {
      'A monthly schedule': { min_payout_cents: 5000, schedule_day: 1 },
      'The account that pays': { debtor: { name: 'Tea Shop GmbH', iban: 'DE89 3704 0044 0532 0130 00' } },
    }),
    replies: {
      200: reply('The settings.', itemReply(payoutSettingsRow), {
        Changed: { success: true, data: exampleSettings },
      }),
    },
  },
};
