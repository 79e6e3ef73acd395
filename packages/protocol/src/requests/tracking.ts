import { z } from 'zod';
import {
  currencyCode,
  freeText,
  idText,
  instant,
  integer,
  isStorable,
  jsonObject,
  jsonObjectOrArray,
  lenientText,
  MAX_AMOUNT_CENTS,
  MAX_SUB_ID_LENGTH,
  MAX_TITLE_LENGTH,
  MAX_URL_LENGTH,
  MAX_USER_AGENT_LENGTH,
  printableId,
} from '../fields.ts';

const AFFILIATE_URL_MAX = 16 * 1024;
const LINE_ITEMS_MAX_BYTES = 48 * 1024;
const ADDITIONAL_DATA_MAX_BYTES = 8 * 1024;
const MAX_PROCESSOR_REFS = 10;
const MAX_AGE_MS = 90 * 24 * 3_600_000;

const affiliateUrlRequired = 'affiliate_url is required';
const amountRequired = 'amount_cents is required and must be a positive integer';

/** A program id, as a number or as a string of digits. Any other value counts as absent. */
const programId = z
  .union([z.number().int().positive(), z.string().regex(/^\d{1,15}$/)])
  .transform(Number)
  .optional()
  .catch(undefined)
  .describe('Id of the program: a number or a string of digits.');

function additionalEventData<T extends z.ZodRawShape>(shape: T) {
  const fields = z.looseObject({
    test_mode: z
      .boolean({ error: 'additional_data.test_mode must be a boolean' })
      .describe(
        'With `true`, the request records a test event. Statistics and balances do not include test events.',
      )
      .optional(),
    program_id: programId,
    ...shape,
  });
  return jsonObject('additional_data', ADDITIONAL_DATA_MAX_BYTES).pipe(
    fields.describe('Test mode and other options.'),
  );
}

const clickId = idText('click_id').describe("Click id of the visitor's click.").optional();
const customerKey = idText('customer_key').describe('Your id of the customer.').optional();
const sessionId = lenientText(255).describe("Your id of the visitor's session.");
const pageUrl = lenientText(MAX_URL_LENGTH).describe('URL of the page.');
const subId = printableId(MAX_SUB_ID_LENGTH).describe(
  'Id that the partner gives a placement or campaign: at most 128 printable characters. Other characters are removed, and a longer id is cut. Defaults to the `sub_id` parameter of `affiliate_url`.',
);
const occurredAt = instant('occurred_at')
  .describe('When the event took place: at most 90 days ago, with a zone. Defaults to now.')
  .optional();

const ageMs = integer('age_ms', 0, MAX_AGE_MS)
  .describe(
    "Age of the event when it is sent, in milliseconds, by the clock of the sender. At most 90 days. Send it for queued events. The sum of `occurred_at` and `age_ms` is the time of sending. If this sum differs from the server's time by more than 5 minutes, the server assumes that the sender's clock is wrong. It then ignores `occurred_at` and uses only `age_ms`.",
  )
  .optional();

/** Body of `POST /api/v1/track/click`. */
export const trackClickRequest = z.object({
  affiliate_url: z
    .string({ error: affiliateUrlRequired })
    .min(1, { error: affiliateUrlRequired })
    .max(AFFILIATE_URL_MAX, { error: 'Invalid affiliate_url' })
    .describe("URL that the visitor landed on, with the partner's code in `aff`."),
  page_url: pageUrl,
  page_title: lenientText(MAX_TITLE_LENGTH).describe('Title of the page.'),
  referrer_url: lenientText(MAX_URL_LENGTH).describe('URL of the page that the visitor came from.'),
  session_id: sessionId,
  sub_id: subId,
  user_agent: lenientText(MAX_USER_AGENT_LENGTH).describe(
    'User agent of the browser. Defaults to the `User-Agent` header.',
  ),
  screen_resolution: lenientText(32).describe('Screen size, for example `1920x1080`.'),
  viewport_size: lenientText(32).describe('Viewport size, for example `1280x720`.'),
  language: lenientText(64).describe('Language of the browser.'),
  timezone: lenientText(64).describe('Time zone of the browser.'),
  existing_click_id: idText('existing_click_id')
    .describe('Click id of an earlier visit. It is reused if it belongs to this program.')
    .optional(),
  additional_data: additionalEventData({
    program_id: programId.describe(
      'Id of the program that the page belongs to. Links of other programs are rejected. A test event is recorded for this program.',
    ),
    idempotency_key: z
      .string({ error: 'additional_data.idempotency_key must be a string' })
      .min(1, { error: 'additional_data.idempotency_key must not be empty' })
      .max(64, { error: 'additional_data.idempotency_key must be at most 64 characters' })
      .refine(isStorable, {
        error: 'additional_data.idempotency_key must not contain NUL or lone surrogates',
      })
      .describe('For 72 hours, a repeated request with the same key gets the reply to the first request.')
      .optional(),
  }).optional(),
});

/** Body of `POST /api/v1/track/lead`. */
export const trackLeadRequest = z.object({
  click_id: clickId,
  customer_key: customerKey,
  email: z
    .string({ error: 'email must be a string' })
    .max(320, { error: 'email must be at most 320 characters' })
    .refine(isStorable, { error: 'email must not contain NUL or lone surrogates' })
    .describe('Email address. Only its hash and a masked form are stored.')
    .optional(),
  session_id: sessionId,
  page_url: pageUrl,
  occurred_at: occurredAt,
  age_ms: ageMs,
  additional_data: additionalEventData({
    event_name: freeText('additional_data.event_name').describe('Kind of lead.').optional(),
  }).optional(),
});

const amountCents = z
  .number({ error: amountRequired })
  .int({ error: amountRequired })
  .positive({ error: amountRequired })
  .max(MAX_AMOUNT_CENTS, { error: `amount_cents must be at most ${MAX_AMOUNT_CENTS}` })
  .describe('Amount, in the smallest unit of the currency.');

/** A part of the amount of a sale, such as the tax. */
const includedCents = (name: string, what: string) =>
  z
    .number({ error: `${name} must be an integer of 0 or more` })
    .int({ error: `${name} must be an integer of 0 or more` })
    .min(0, { error: `${name} must be an integer of 0 or more` })
    .describe(
      `${what} that \`amount_cents\` includes. No commission is paid on it if the program's \`commission_base\` is \`net\`.`,
    )
    .optional();

const transactionId = (requiredMessage: string) =>
  idText('transaction_id', requiredMessage).describe(
    'Your id of the payment. It must be unique in the whole service, so add a prefix. If the service runs with `TRANSACTION_IDS=workspace`, it must be unique only in the workspace, unless it begins with `pi_`, `in_`, `ch_`, `py_` or `cs_`.',
  );

const saleFields = {
  currency: currencyCode.optional(),
  sale_type: z
    .enum(['payment', 'subscription'], { error: 'sale_type must be payment or subscription' })
    .describe('Whether this is a single payment or a payment of a subscription.')
    .optional(),
  customer_key: customerKey,
  click_id: clickId,
  line_items: jsonObjectOrArray('line_items', LINE_ITEMS_MAX_BYTES)
    .describe(
      'Items of the sale: an object or an array, at most 48 KiB of JSON. They are stored unchanged. If `product_id` is absent, and this field or its field `data` is a list of `{product_id, amount_cents, tax_cents}`, each product earns commission by its own policy.',
    )
    .optional(),
  is_recurring: z
    .boolean({ error: 'is_recurring must be a boolean' })
    .describe('Whether this payment is a renewal.')
    .optional(),
  subscription_id: idText('subscription_id')
    .describe('Your id of the subscription. It identifies renewals.')
    .optional(),
  subscription_interval: z
    .enum(['monthly', 'quarterly', 'annual'], {
      error: 'subscription_interval must be monthly, quarterly or annual',
    })
    .describe('How often the subscription renews.')
    .optional(),
  tax_cents: includedCents('tax_cents', 'Tax'),
  shipping_cents: includedCents('shipping_cents', 'Shipping costs without their tax'),
  product_id: idText('product_id').describe('Your id of the product.').optional(),
  occurred_at: occurredAt,
  age_ms: ageMs,
  processor_refs: z
    .array(idText('each of processor_refs'), { error: 'processor_refs must be a list of strings' })
    .max(MAX_PROCESSOR_REFS, { error: `processor_refs must have at most ${MAX_PROCESSOR_REFS} entries` })
    .describe('Other ids of the same payment at the payment processor, at most 10.')
    .optional(),
  additional_data: additionalEventData({}).optional(),
};

/** Body of `POST /api/v1/track/sale`. */
export const trackSaleRequest = z.object({
  transaction_id: transactionId('transaction_id is required and must be a string'),
  amount_cents: amountCents,
  ...saleFields,
});

/** A sale that a payment processor reported. Its amount may be 0 after a discount. */
export const processorSaleRequest = trackSaleRequest.extend({
  amount_cents: z.union([amountCents, z.literal(0)]),
});

/** Body of `POST /api/v1/track/sale` in test mode. The transaction id and the amount are optional. */
export const trackTestSaleRequest = z.object({
  transaction_id: transactionId('transaction_id is required and must be a string').optional(),
  amount_cents: amountCents.optional(),
  ...saleFields,
});

const testData = z
  .looseObject({
    test_mode: z.literal(true).describe('Marks a test event.'),
    program_id: programId,
    event_name: z.string().describe('Kind of lead.').optional(),
  })
  .describe('Test mode and other options.');

/** The body of `POST /api/v1/track/lead` with its required fields, for the API description. */
export const describedLeadRequest = z.union([
  trackLeadRequest.required({ click_id: true }),
  trackLeadRequest.required({ customer_key: true }),
  trackLeadRequest.extend({ additional_data: testData }),
]);

/** The body of `POST /api/v1/track/sale` with its required fields, for the API description. */
export const describedSaleRequest = z.union([
  trackSaleRequest,
  trackTestSaleRequest.extend({ additional_data: testData }),
]);

/** Body of `POST /api/v1/track/refund`. */
export const trackRefundRequest = z.object({
  transaction_id: transactionId('transaction_id is required'),
  refund_amount_cents: z
    .number({ error: 'refund_amount_cents must be a positive integer' })
    .int({ error: 'refund_amount_cents must be a positive integer' })
    .min(0, { error: 'refund_amount_cents must be a positive integer' })
    .describe(
      'Amount to refund, in the smallest unit of the currency. If absent or 0, the rest of the sale is refunded.',
    )
    .optional(),
  refund_id: idText('refund_id')
    .describe(
      "Your id of this refund, or the payment processor's id. Each id is applied once, so a sale can have several refunds, up to its amount. A repeated id gets the first reply again.",
    )
    .optional(),
  refund_reason: freeText('refund_reason').describe('Reason for the refund.').optional(),
  occurred_at: occurredAt,
  age_ms: ageMs,
  additional_data: additionalEventData({}).optional(),
});

export type TrackClickRequest = z.input<typeof trackClickRequest>;
export type TrackLeadRequest = z.input<typeof trackLeadRequest>;
export type TrackSaleRequest = z.input<typeof trackSaleRequest>;
export type TrackRefundRequest = z.input<typeof trackRefundRequest>;

/** Body of `POST /api/v1/track/exists`. */
export const transactionsExistRequest = z.object({
  transaction_ids: z
    .array(idText('each of transaction_ids', 'each of transaction_ids must be a string'), {
      error: 'transaction_ids must be a list of 1 to 1000 transaction ids',
    })
    .min(1, { error: 'transaction_ids must be a list of 1 to 1000 transaction ids' })
    .max(1000, { error: 'transaction_ids must be a list of 1 to 1000 transaction ids' })
    .describe('Transaction ids, at most 1,000.'),
});

/** Body of `POST /api/v1/cli/test-event`. */
export const testEventRequest = z.object({
  type: z
    .literal('chain', { error: 'type must be chain' })
    .describe('Type of the test: `chain` is a click, a lead and a sale.'),
});

export type TransactionsExistRequest = z.input<typeof transactionsExistRequest>;
