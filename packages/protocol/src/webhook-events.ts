import { z } from 'zod';
import {
  amount,
  count,
  currency,
  customerKey,
  partnerId,
  programId,
  rowId,
  time,
} from './replies/envelope.ts';

/** The types of events to which an endpoint can subscribe. */
export const WEBHOOK_EVENT_TYPES = [
  'lead.created',
  'sale.created',
  'commission.created',
  'commission.approved',
  'commission.rejected',
  'commission.reversed',
  'refund.created',
  'payout.created',
  'payout.paid',
  'payout.cancelled',
  'partner.applied',
  'partner.approved',
  'partner.rejected',
  'integration.failing',
] as const;

const customerId = rowId.nullable().describe('Id of the customer.');
const clickId = z.string().nullable().describe("Click id of the customer's first click.");
const nullablePartnerId = rowId.nullable().describe('Id of the partner. Null if the partner was erased.');
const saleId = rowId.describe('Id of the sale.');
const transactionId = z.string().describe('Your id of the payment.');

const leadData = z.object({
  program_id: programId,
  customer_id: customerId,
  customer_key: customerKey,
  click_id: clickId,
  partner_id: nullablePartnerId,
  event_name: z.string().nullable().describe('Kind of lead, from `additional_data.event_name` of the call.'),
  source: z.enum(['browser', 'server']).describe('Who reported the lead.'),
  lead_at: time.describe('When the customer signed up.'),
});

const saleData = z.object({
  program_id: programId,
  sale_id: saleId,
  transaction_id: transactionId,
  customer_id: customerId,
  customer_key: customerKey,
  click_id: clickId,
  partner_id: partnerId,
  amount_cents: amount,
  currency,
  subscription_id: z.string().nullable().describe('Id of the subscription.'),
  product_id: z.string().nullable().describe('Id of the product.'),
  no_commission_reason: z
    .enum(['window_expired', 'recurring_ended', 'below_min_sale', 'zero_amount'])
    .nullable()
    .describe('Why the sale earns no commission. Null if it earns one.'),
  sale_at: time.describe('When the customer paid.'),
});

const commissionData = z.object({
  program_id: programId,
  commission_id: rowId.describe('Id of the commission.'),
  sale_id: saleId,
  customer_id: customerId,
  partner_id: partnerId,
  status: z
    .enum(['pending', 'approved', 'paid', 'rejected', 'refunded', 'reversed'])
    .describe('Status after the event.'),
  amount_cents: amount,
  deducted_cents: count.describe('Deducted part of the amount, in the smallest unit of the currency.'),
  currency,
  commission_at: time.describe('When the customer paid.'),
});

const refundData = z.object({
  program_id: programId,
  refund_row_id: rowId.describe('Id of the refund in the service.'),
  refund_id: z
    .string()
    .nullable()
    .describe('Your id of the refund. Null if the refund was reported without one.'),
  sale_id: saleId,
  transaction_id: transactionId,
  commission_id: rowId.describe('Id of the commission.'),
  partner_id: partnerId,
  amount_cents: amount.describe('Refunded amount, in the smallest unit of the currency of the sale.'),
  currency: currency.describe('ISO 4217 code of the currency of the sale.'),
  deduction_cents: count.describe(
    'Deducted commission, in the smallest unit of the currency of the commission.',
  ),
  deduction_currency: currency.describe('ISO 4217 code of the currency of the commission.'),
  reason: z.string().nullable().describe('Reason for the refund, as it was reported.'),
  refund_at: time.describe('When the refund was made.'),
});

const payoutData = z.object({
  program_id: programId,
  payout_id: rowId.describe('Id of the payout.'),
  partner_id: partnerId,
  status: z.enum(['pending', 'paid', 'cancelled']).describe('Status after the event.'),
  amount_cents: amount,
  currency,
  reference: z.string().nullable().describe('Reference of the payment.'),
});

const partnerData = z.object({
  program_id: programId,
  partner_id: partnerId,
  name: z.string().describe('Name of the partner.'),
  email: z.string().describe('Email address of the partner.'),
  reason: z.string().nullable().describe('Reason for the decision. The partner sees it too.'),
});

const failingData = z.object({
  program_id: programId,
  route: z.enum(['click', 'lead', 'sale', 'refund']).describe('Kind of the rejected call.'),
  code: z.string().describe('Error code of the reply.'),
  message: z.string().describe('Error message of the reply.'),
  request_id: z.string().describe('Id of the first rejected request of the day.'),
  rejected_at: time.describe('When the first call of the day was rejected.'),
});

const testData = z.object({
  program_id: programId,
  endpoint_id: rowId.describe('Id of the endpoint.'),
  message: z.string().describe('Message for humans.'),
});

function event<const Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.object({
    type: z.literal(type).describe('Type of the event.'),
    timestamp: time.describe('When the event happened.'),
    sequence: rowId.describe(
      'Sequence number of the event. Of two `commission.*`, `payout.*`, or `partner.*` events about the same object, the one with the higher number is newer.',
    ),
    data,
  });
}

/** The body of a webhook. `webhook.test` is sent only on request, to one endpoint. */
export const webhookEvent = z.discriminatedUnion('type', [
  event('lead.created', leadData),
  event('sale.created', saleData),
  event('commission.created', commissionData),
  event('commission.approved', commissionData),
  event('commission.rejected', commissionData),
  event('commission.reversed', commissionData),
  event('refund.created', refundData),
  event('payout.created', payoutData),
  event('payout.paid', payoutData),
  event('payout.cancelled', payoutData),
  event('partner.applied', partnerData),
  event('partner.approved', partnerData),
  event('partner.rejected', partnerData),
  event('integration.failing', failingData),
  event('webhook.test', testData),
]);

/** The body of a webhook. `type` determines which fields `data` has. */
export type WebhookEvent = z.output<typeof webhookEvent>;
export type WebhookEventType = WebhookEvent['type'];
/** A type of events to which an endpoint can subscribe. */
export type SubscribableEventType = (typeof WEBHOOK_EVENT_TYPES)[number];
export type WebhookData<Type extends WebhookEventType> = Extract<WebhookEvent, { type: Type }>['data'];

/** The start of the header `webhook-id`. The sequence number of the event follows. */
export const WEBHOOK_ID_PREFIX = 'evt_';
