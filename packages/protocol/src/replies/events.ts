import { z } from 'zod';
import { count, currency, customerKey, id, listReplyMeta, rowId, time } from './envelope.ts';

const eventFields = {
  id,
  click_id: z.string().nullable().describe("Click id of the visitor's click."),
  timestamp: time,
  createdAt: time,
  partner_id: rowId
    .nullable()
    .describe(
      'Id of the partner: for a click, the partner of the link; for a lead or a conversion, the partner of the customer.',
    ),
  link_id: rowId
    .nullable()
    .describe(
      'Id of the link: for a click, the visited link; for a lead or a conversion, the link of the customer.',
    ),
};
const sessionId = z.string().nullable().describe("Your id of the visitor's session.");
const pageUrl = z.string().nullable().describe('URL of the page.');

/** An event, as listed in the dashboard. */
export const eventRow = z.discriminatedUnion('event_type', [
  z.object({
    ...eventFields,
    event_type: z.literal('click'),
    session_id: sessionId,
    sub_id: z.string().nullable().describe('Id that the partner gave the placement or campaign.'),
    page_url: pageUrl,
    referrer_url: z.string().nullable().describe('URL of the page that the visitor came from.'),
    geo_country: z.string().nullable(),
    geo_region: z.string().nullable(),
    geo_city: z.string().nullable(),
    device_type: z.string().nullable(),
    device_os: z.string().nullable(),
    browser_name: z.string().nullable(),
    converted: z.boolean(),
  }),
  z.object({
    ...eventFields,
    event_type: z.literal('lead'),
    customer_key: customerKey,
    session_id: sessionId,
    page_url: pageUrl,
    converted: z.boolean(),
  }),
  z.object({
    ...eventFields,
    event_type: z.literal('conversion'),
    amount_cents: count.describe('Amount, in the smallest unit of the currency.'),
    currency,
    sale_type: z
      .enum(['payment', 'subscription'])
      .describe('Whether this is a single payment or a payment of a subscription.'),
    payment_status: z.string(),
    processor_event_id: z.string(),
    is_recurring: z.boolean().describe('Whether this payment is a renewal.'),
    no_commission_reason: z
      .enum(['window_expired', 'recurring_ended', 'below_min_sale', 'zero_amount'])
      .nullable()
      .describe('Why the sale earns no commission.'),
  }),
]);

/** Reply of `GET /api/tracking/events/:programId`. */
export const eventsReply = z.object({
  data: z.array(eventRow),
  meta: listReplyMeta.extend({
    clicks_complete_from: time
      .nullable()
      .describe(
        'Clicks before this time are not listed, because the service deleted them after its retention period. Null if none were deleted.',
      ),
  }),
});
