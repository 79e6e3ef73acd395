import {
  clickInactive,
  clickTracked,
  leadTracked,
  refundTracked,
  saleTracked,
  testEventTracked,
} from '@affkit/protocol';
import { z } from 'zod';
import { body, type Descriptions, type RouteDescription, reply } from './description.ts';
import { CLICK_ID } from './examples.ts';

const testEvent = { eventId: 1, programId: 1, test_mode: true } as const;
const SERVER_ONLY = 'For your own server: the token must never reach a browser.';

const click: RouteDescription = {
  id: 'trackClick',
  tag: 'Tracking',
  summary: "Record a visit by a partner's link",
  description:
    "The tracker calls it. A browser's `Origin` must be among the program's `allowed_origins`. The body may be sent as `text/plain` that holds JSON, which needs no preflight. With the same `additional_data.idempotency_key` the first answer is given again for 72 hours. From a page that a browser loads ahead (`Sec-Purpose: prefetch`) it is answered 425: nobody has visited it yet.",
  body: body('ClickRequest', {
    'A visit': { affiliate_url: 'https://shop.example/?aff=anna', page_url: 'https://shop.example/' },
    'In test mode': {
      affiliate_url: 'https://shop.example/?aff=anna',
      additional_data: { test_mode: true },
    },
  }),
  replies: {
    200: reply(
      'Recorded; or not, where the link is inactive.',
      z.union([clickTracked, clickInactive, testEventTracked]),
      {
        Recorded: {
          success: true,
          click_id: CLICK_ID,
          partner_code: 'anna',
          cookie_window_days: 60,
          attributed_partner_code: 'anna',
          attribution_model: 'last_click',
        },
        'An inactive link': {
          success: false,
          message: 'This referral link is inactive. Nothing was tracked.',
          code: 'link_inactive',
        },
        'In test mode': { success: true, message: 'Test click recorded', data: testEvent },
      },
    ),
  },
  errors: [
    'affiliate_url_required',
    'invalid_affiliate_url',
    'aff_parameter_missing',
    'referral_link_not_found',
    'invalid_referral_link',
    'test_program_required',
    'test_program_not_found',
    'origin_not_allowed',
    'page_not_shown',
  ],
};

const lead: RouteDescription = {
  id: 'trackLead',
  tag: 'Tracking',
  summary: 'Record a signup',
  description:
    'Without `Authorization` from a browser, by `click_id`; with a tracking token from your server, by `click_id` or `customer_key`. A repeat is answered 400 `lead_already_recorded`: take it as a success. The body may be sent as `text/plain` that holds JSON.',
  body: body('LeadRequest', {
    'By click': { click_id: CLICK_ID, customer_key: 'user-1', email: 'ann@example.com' },
  }),
  replies: {
    200: reply('Recorded.', z.union([testEventTracked, leadTracked]), {
      Recorded: { success: true, message: 'Lead tracked successfully' },
      'In test mode': { success: true, message: 'Test lead recorded', data: testEvent },
    }),
  },
  errors: [
    'lead_identifier_required',
    'lead_customer_not_found',
    'customer_of_other_program',
    'lead_already_recorded',
    'browser_leads_off',
    'browser_key_not_allowed',
    'origin_not_allowed',
    'page_not_shown',
    'test_program_required',
    'test_program_not_found',
  ],
};

const sale: RouteDescription = {
  id: 'trackSale',
  tag: 'Tracking',
  summary: 'Record a payment',
  description: `${SERVER_ONLY} A sale that is recorded already is answered 409: take it as a success. \`transaction_id\` and \`amount_cents\` are required, but in test mode.`,
  body: body('SaleRequest', {
    'A payment': { transaction_id: 'order-1', amount_cents: 1999, customer_key: 'user-1' },
    'A renewal': {
      transaction_id: 'invoice-2',
      amount_cents: 1999,
      currency: 'USD',
      customer_key: 'user-1',
      sale_type: 'subscription',
      is_recurring: true,
      subscription_id: 'sub-1',
      subscription_interval: 'monthly',
    },
    'In test mode': { additional_data: { test_mode: true } },
  }),
  replies: {
    200: reply('Recorded.', z.union([saleTracked, testEventTracked]), {
      Recorded: { success: true, sale_id: 1, commission_id: 1, message: 'Sale tracked successfully' },
      'Without a commission': {
        success: true,
        sale_id: 2,
        commission_id: null,
        message: 'Sale recorded. The attribution window has expired, so no commission was created.',
        reason: 'window_expired',
      },
      'In test mode': { success: true, message: 'Test sale recorded', data: testEvent },
    }),
  },
  errors: [
    'transaction_id_required',
    'amount_cents_required',
    'sale_customer_not_found',
    'no_affiliate_attribution',
    'no_partner_program',
    'partner_required',
    'duplicate_transaction',
    'transaction_id_taken',
    'commission_failed',
  ],
};

const refund: RouteDescription = {
  id: 'trackRefund',
  tag: 'Tracking',
  summary: 'Record a refund, in full or in part',
  description: `${SERVER_ONLY} The commission is taken back in proportion, once: a second refund of a sale is \`skipped\`.`,
  body: body('RefundRequest', {
    'In part': { transaction_id: 'order-1', refund_amount_cents: 999, refund_reason: 'damaged' },
    'In full': { transaction_id: 'order-1' },
  }),
  replies: {
    200: reply('What became of the commission. `deductionAmount` is in major units.', refundTracked, {
      'In part': { success: true, status: 'refunded', deductionAmount: 2, commission_id: 1 },
      'A second refund': {
        success: true,
        status: 'skipped',
        reason: 'already reversed',
        commission_id: 1,
      },
      'A sale without a commission': {
        success: true,
        status: 'no_commission',
        message: 'The sale has no commission to reverse',
      },
    }),
  },
  errors: [
    'refund_transaction_id_required',
    'invalid_refund_amount',
    'refund_exceeds_sale',
    'sale_not_found',
  ],
};

/** The same route by the path of older trackers. */
function legacy(description: RouteDescription, path: string): RouteDescription {
  return {
    ...description,
    id: `${description.id}Legacy`,
    summary: `${description.summary} (for older trackers)`,
    description: `The same as \`${path}\`.`,
  };
}

export const trackingDescriptions: Descriptions = {
  'POST /api/v1/track/click': click,
  'POST /api/v1/track/lead': lead,
  'POST /api/v1/track/sale': sale,
  'POST /api/v1/track/refund': refund,
  'POST /api/tracking/click': legacy(click, '/api/v1/track/click'),
  'POST /api/tracking/lead': legacy(lead, '/api/v1/track/lead'),
  'POST /api/tracking/sale': legacy(sale, '/api/v1/track/sale'),
  'POST /api/tracking/refund': legacy(refund, '/api/v1/track/refund'),
};
