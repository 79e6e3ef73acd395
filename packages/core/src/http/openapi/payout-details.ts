import { doneReply, itemReply, maskedPayoutDetailsRow, payoutDetailsRow } from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, examplePartner } from './examples.ts';

const exampleSent = {
  method: 'bank' as const,
  currency: 'EUR',
  iban: 'DE89 3704 0044 0532 0130 00',
  bic: 'COBADEFFXXX',
  account_holder: 'Anna Example',
  tax_name: 'Anna Example',
  tax_id: 'DE123456789',
  address: { line1: 'Hauptstrasse 1', postal_code: '10115', city: 'Berlin', country: 'DE' },
};

const exampleDetails: z.output<typeof payoutDetailsRow> = {
  ...exampleSent,
  partner_id: examplePartner.id,
  iban: 'DE89370400440532013000',
  email: null,
  stripe_account_id: null,
  instructions: null,
  account_holder_type: null,
  address: { ...exampleSent.address, line2: null, region: null },
  updated_at: EXAMPLE_TIME,
};

export const payoutDetailsDescriptions: Descriptions = {
  'GET /api/partner/payout-details': {
    id: 'readOwnPayoutDetails',
    tag: 'Partner',
    summary: "Get the partner's payout details",
    description: 'The account to which advertisers pay the partner. The details are stored encrypted.',
    errors: ['not_found', 'partner_id_required'],
    replies: {
      200: reply(
        'The details. Null if the partner has entered none.',
        itemReply(payoutDetailsRow.nullable()),
        {
          'A bank account': { success: true, data: exampleDetails },
          None: { success: true, data: null },
        },
      ),
    },
  },
  'PUT /api/partner/payout-details': {
    id: 'updateOwnPayoutDetails',
    tag: 'Partner',
    summary: "Replace the partner's payout details",
    description:
      'Fields that are not in the request are removed. A change of existing details requires the current `password`, unless the session is a token of your identity provider. The partner gets a notification and an email that name the changed fields. Existing batches of payouts keep the earlier details.',
    body: body('PayoutDetailsChange', {
      'A bank account': exampleSent,
      PayPal: { method: 'paypal', email: 'anna@blog.example' },
    }),
    errors: ['not_found', 'partner_id_required', 'password_required', 'password_wrong', 'login_rate_limited'],
    replies: {
      200: reply('The details.', itemReply(payoutDetailsRow), {
        'A bank account': { success: true, data: exampleDetails },
      }),
    },
  },
  'DELETE /api/partner/payout-details': {
    id: 'deleteOwnPayoutDetails',
    tag: 'Partner',
    summary: "Delete the partner's payout details",
    description:
      'Deleting existing details requires the current `password`, as a change does. The partner gets a notification and an email. New batches leave the partner out. Existing batches of payouts keep the details, and receipts keep the tax details. A repeated request changes nothing.',
    body: body('PayoutDetailsDeletion', { 'With a password': { password: 'a-long-password' } }),
    errors: ['not_found', 'partner_id_required', 'password_required', 'password_wrong', 'login_rate_limited'],
    replies: { 200: reply('The details were deleted.', doneReply, { Deleted: { success: true } }) },
  },
  'GET /api/advertiser/affiliate-programs/:id/partners/:partnerId/payout-details': {
    id: 'readPayoutDetails',
    tag: 'Payouts',
    summary: "Get a partner's payout details, masked",
    description: 'Only the files of payout batches contain the complete account number.',
    errors: ['not_found'],
    replies: {
      200: reply(
        'The details. Null if the partner has entered none.',
        itemReply(maskedPayoutDetailsRow.nullable()),
        {
          'A bank account': {
            success: true,
            data: {
              partner_id: examplePartner.id,
              method: 'bank',
              currency: 'EUR',
              account_masked: 'DE89…3000',
              country: 'DE',
              has_tax_id: true,
              updated_at: EXAMPLE_TIME,
            },
          },
          None: { success: true, data: null },
        },
      ),
    },
  },
};
