import {
  clickInactive,
  clickTracked,
  leadTracked,
  refundTracked,
  saleTracked,
  testEventTracked,
} from '@affkit/protocol';
import { z } from 'zod';
import { body, type Descriptions, joinParagraphs, type RouteDescription, reply } from './description.ts';
import { EXAMPLE_CLICK_ID } from './examples.ts';

const testEvent = { eventId: 1, programId: 1, test_mode: true } as const;
const SERVER_ONLY = 'Call this route only from your own server: the token must never reach a browser.';

const clickDescription: RouteDescription = {
  id: 'trackClick',
  tag: 'Tracking',
  summary: "Record a click on a partner's link",
  description:
    "The tracker script calls this route. The `Origin` of a browser must be one of the program's `allowed_origins`. The body may be JSON sent as `text/plain`, which needs no preflight. A repeated request with the same `additional_data.idempotency_key` gets the first reply again, for 72 hours. Requests from a prefetched page (`Sec-Purpose: prefetch`) get a 425, because nobody has visited that page yet.",
  body: body('ClickRequest', {
    'A visit': { affiliate_url: 'https://shop.example/?aff=anna', page_url: 'https://shop.example/' },
    'In test mode': {
      affiliate_url: 'https://shop.example/?aff=anna',
      additional_data: { test_mode: true },
    },
  }),
  replies: {
    200: reply(
      'The click was recorded, or the link is inactive.',
      z.union([clickTracked, clickInactive, testEventTracked]),
      {
        Recorded: {
          success: true,
          click_id: EXAMPLE_CLICK_ID,
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
    'origin_required',
    'page_not_shown',
  ],
};

const leadDescription: RouteDescription = {
  id: 'trackLead',
  tag: 'Tracking',
  summary: 'Record a signup',
  description:
    'Browsers send no `Authorization` and identify the customer by `click_id`. Your server sends a tracking token and uses `click_id` or `customer_key`. A repeated lead gets a 400 with `lead_already_recorded`; treat it as success. The body may be JSON sent as `text/plain`.',
  body: body('LeadRequest', {
    'By click': { click_id: EXAMPLE_CLICK_ID, customer_key: 'user-1', email: 'ann@example.com' },
  }),
  replies: {
    200: reply('The lead was recorded.', z.union([testEventTracked, leadTracked]), {
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
    'origin_required',
    'page_not_shown',
    'test_program_required',
    'test_program_not_found',
  ],
};

const saleDescription: RouteDescription = {
  id: 'trackSale',
  tag: 'Tracking',
  summary: 'Record a payment',
  description: `${SERVER_ONLY} A sale that is already recorded gets a 409; treat it as success. The exception is the code \`transaction_id_taken\`: the id is in use outside your program, so your sale is not recorded, and \`hint\` says what to do. \`transaction_id\` and \`amount_cents\` are required except in test mode.`,
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
    200: reply('The sale was recorded.', z.union([saleTracked, testEventTracked]), {
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

const refundDescription: RouteDescription = {
  id: 'trackRefund',
  tag: 'Tracking',
  summary: 'Record a full or partial refund',
  description: joinParagraphs(
    `${SERVER_ONLY} The commission is reduced in proportion to the refund. If the sale has no commission, the refund is stored. If the sale gets a commission later, the refund is deducted from it.`,
    'Send `refund_id` to refund a sale in several parts: each id is applied once, and `status` is `refunded` until the whole sale is refunded. Without a `refund_id`, a second refund of the same sale is `skipped`.',
    'In test mode, only sales in test mode can be refunded, and nothing is deducted. Each `refund_id` is recorded once, and the refunds of a sale cannot exceed its amount.',
  ),
  body: body('RefundRequest', {
    'In part': {
      transaction_id: 'order-1',
      refund_amount_cents: 999,
      refund_id: 'refund-1',
      refund_reason: 'damaged',
    },
    'In full': { transaction_id: 'order-1' },
    'In test mode': { transaction_id: 'order-1', additional_data: { test_mode: true } },
  }),
  replies: {
    200: reply(
      'The effect on the commission. `deductionAmount` is in major units.',
      z.union([...refundTracked.options, testEventTracked]),
      {
        'In part': { success: true, status: 'refunded', deductionAmount: 2, commission_id: 1 },
        'A second refund without an id': {
          success: true,
          status: 'skipped',
          reason: 'already reversed',
          message: 'The sale was partially refunded before. Send refund_id to apply another refund.',
          commission_id: 1,
        },
        'A sale without a commission': {
          success: true,
          status: 'no_commission',
          message: 'The sale has no commission to reverse',
        },
        'In test mode': { success: true, message: 'Test refund recorded', data: testEvent },
      },
    ),
  },
  errors: [
    'refund_transaction_id_required',
    'invalid_refund_amount',
    'refund_exceeds_sale',
    'sale_not_found',
  ],
};

/**
 * Returns the description of the path that older trackers use for a route.
 * @param path the current path of the route
 */
function describeLegacyPath(description: RouteDescription, path: string): RouteDescription {
  return {
    ...description,
    id: `${description.id}Legacy`,
    summary: `${description.summary} (for older trackers)`,
    description: `Identical to \`${path}\`.`,
  };
}

export const trackingDescriptions: Descriptions = {
  'POST /api/v1/track/click': clickDescription,
  'POST /api/v1/track/lead': leadDescription,
  'POST /api/v1/track/sale': saleDescription,
  'POST /api/v1/track/refund': refundDescription,
  'POST /api/tracking/click': describeLegacyPath(clickDescription, '/api/v1/track/click'),
  'POST /api/tracking/lead': describeLegacyPath(leadDescription, '/api/v1/track/lead'),
  'POST /api/tracking/sale': describeLegacyPath(saleDescription, '/api/v1/track/sale'),
  'POST /api/tracking/refund': describeLegacyPath(refundDescription, '/api/v1/track/refund'),
};
