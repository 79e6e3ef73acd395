import { z } from 'zod';
import {
  currencyCode,
  descriptive,
  freeText,
  idText,
  instant,
  isStorable,
  jsonObject,
  MAX_AMOUNT_CENTS,
  MAX_TITLE_LENGTH,
  MAX_URL_LENGTH,
} from './fields.ts';

const AFFILIATE_URL_MAX = 16 * 1024;
const LINE_ITEMS_MAX_BYTES = 48 * 1024;
const ADDITIONAL_DATA_MAX_BYTES = 8 * 1024;
const MAX_PROCESSOR_REFS = 10;

const affiliateUrlRequired = 'affiliate_url is required';
const amountRequired = 'amount_cents is required and must be a positive integer';

/** `program_id` of test events: a number, or the same in digits; anything else counts as absent. */
const programId = z
  .union([z.number().int().positive(), z.string().regex(/^\d{1,15}$/)])
  .transform(Number)
  .optional()
  .catch(undefined);

function additionalData<T extends z.ZodRawShape>(shape: T) {
  return jsonObject('additional_data', ADDITIONAL_DATA_MAX_BYTES).pipe(
    z.looseObject({
      test_mode: z.boolean({ error: 'additional_data.test_mode must be a boolean' }).optional(),
      program_id: programId,
      ...shape,
    }),
  );
}

/** Body of `POST /api/v1/track/click`. */
export const trackClickRequest = z.object({
  affiliate_url: z
    .string({ error: affiliateUrlRequired })
    .min(1, { error: affiliateUrlRequired })
    .max(AFFILIATE_URL_MAX, { error: 'Invalid affiliate_url' }),
  page_url: descriptive(MAX_URL_LENGTH),
  page_title: descriptive(MAX_TITLE_LENGTH),
  referrer_url: descriptive(MAX_URL_LENGTH),
  session_id: descriptive(255),
  user_agent: descriptive(1024),
  screen_resolution: descriptive(32),
  viewport_size: descriptive(32),
  language: descriptive(64),
  timezone: descriptive(64),
  existing_click_id: idText('existing_click_id').optional(),
  additional_data: additionalData({
    program_id: programId.describe(
      'Id of the program whose page it is: a link of another one is not found. Of a test event, the program it is of.',
    ),
    idempotency_key: z
      .string({ error: 'additional_data.idempotency_key must be a string' })
      .min(1, { error: 'additional_data.idempotency_key must not be empty' })
      .max(64, { error: 'additional_data.idempotency_key must be at most 64 characters' })
      .refine(isStorable, {
        error: 'additional_data.idempotency_key must not contain NUL or lone surrogates',
      })
      .optional(),
  }).optional(),
});

/** Body of `POST /api/v1/track/lead`. */
export const trackLeadRequest = z.object({
  click_id: idText('click_id').optional(),
  customer_key: idText('customer_key').optional(),
  email: z
    .string({ error: 'email must be a string' })
    .max(320, { error: 'email must be at most 320 characters' })
    .refine(isStorable, { error: 'email must not contain NUL or lone surrogates' })
    .describe('E-mail address; it is kept as a hash and masked.')
    .optional(),
  session_id: descriptive(255),
  page_url: descriptive(MAX_URL_LENGTH),
  occurred_at: instant('occurred_at').optional(),
  additional_data: additionalData({
    event_name: freeText('additional_data.event_name').optional(),
  }).optional(),
});

const amountCents = z
  .number({ error: amountRequired })
  .int({ error: amountRequired })
  .positive({ error: amountRequired })
  .max(MAX_AMOUNT_CENTS, { error: `amount_cents must be at most ${MAX_AMOUNT_CENTS}` });

const saleFields = {
  currency: currencyCode.optional(),
  sale_type: z
    .enum(['payment', 'subscription'], { error: 'sale_type must be payment or subscription' })
    .optional(),
  customer_key: idText('customer_key').optional(),
  click_id: idText('click_id').optional(),
  line_items: jsonObject('line_items', LINE_ITEMS_MAX_BYTES).optional(),
  is_recurring: z.boolean({ error: 'is_recurring must be a boolean' }).optional(),
  subscription_id: idText('subscription_id').optional(),
  subscription_interval: z
    .enum(['monthly', 'quarterly', 'annual'], {
      error: 'subscription_interval must be monthly, quarterly or annual',
    })
    .optional(),
  product_id: idText('product_id').optional(),
  occurred_at: instant('occurred_at').optional(),
  processor_refs: z
    .array(idText('each of processor_refs'), { error: 'processor_refs must be a list of strings' })
    .max(MAX_PROCESSOR_REFS, { error: `processor_refs must have at most ${MAX_PROCESSOR_REFS} entries` })
    .optional(),
  additional_data: additionalData({}).optional(),
};

/** Body of `POST /api/v1/track/sale`. */
export const trackSaleRequest = z.object({
  transaction_id: idText('transaction_id', 'transaction_id is required and must be a string'),
  amount_cents: amountCents,
  ...saleFields,
});

/** The same in test mode, where the id and the amount may be left out. */
export const trackTestSaleRequest = z.object({
  transaction_id: idText('transaction_id', 'transaction_id is required and must be a string').optional(),
  amount_cents: amountCents.optional(),
  ...saleFields,
});

/** Body of `POST /api/v1/track/refund`. `refund_amount_cents` absent or 0 is a full refund. */
export const trackRefundRequest = z.object({
  transaction_id: idText('transaction_id', 'transaction_id is required'),
  refund_amount_cents: z
    .number({ error: 'refund_amount_cents must be a positive integer' })
    .int({ error: 'refund_amount_cents must be a positive integer' })
    .min(0, { error: 'refund_amount_cents must be a positive integer' })
    .optional(),
  refund_reason: freeText('refund_reason').optional(),
  occurred_at: instant('occurred_at').optional(),
  additional_data: additionalData({}).optional(),
});

/** Query of `GET …/trace`: one of the three. */
export const traceQuery = z.object({
  transaction_id: idText('transaction_id').optional(),
  click_id: idText('click_id').optional(),
  customer_key: idText('customer_key').optional(),
});

export type TrackClickRequest = z.input<typeof trackClickRequest>;
export type TrackLeadRequest = z.input<typeof trackLeadRequest>;
export type TrackSaleRequest = z.input<typeof trackSaleRequest>;
export type TrackRefundRequest = z.input<typeof trackRefundRequest>;

const ok = z.literal(true);
const id = z.number().int().positive();

/** 200 of a click that was recorded. */
export const clickTracked = z.object({
  success: ok,
  click_id: z.string(),
  partner_code: z.string(),
  cookie_window_days: z.number().int(),
  attributed_partner_code: z.string().nullable(),
  attribution_model: z.enum(['last_click', 'first_click']),
});

/** 200 of a click on a link that is not tracked now. */
export const clickInactive = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z.literal('link_inactive'),
});

/** 200 of any event in test mode. */
export const testEventTracked = z.object({
  success: ok,
  message: z.string(),
  data: z.object({ eventId: id, programId: id, test_mode: ok }),
});

/** 200 of a lead. */
export const leadTracked = z.object({ success: ok, message: z.string() });

/** 200 of a sale; `commission_id` is null where the sale earns none, and `reason` then says why. */
export const saleTracked = z.object({
  success: ok,
  sale_id: id,
  commission_id: id.nullable(),
  message: z.string(),
  reason: z.enum(['window_expired', 'recurring_ended']).optional(),
});

/** 200 of a refund; `deductionAmount` is in major units (dollars). */
export const refundTracked = z.union([
  z.object({
    success: ok,
    status: z.enum(['reversed', 'refunded']),
    deductionAmount: z.number(),
    commission_id: id,
  }),
  z.object({ success: ok, status: z.literal('skipped'), reason: z.string(), commission_id: id }),
  z.object({ success: ok, status: z.literal('no_commission'), message: z.string() }),
]);

export type ClickTracked = z.infer<typeof clickTracked>;
export type ClickInactive = z.infer<typeof clickInactive>;
export type TestEventTracked = z.infer<typeof testEventTracked>;
export type LeadTracked = z.infer<typeof leadTracked>;
export type SaleTracked = z.infer<typeof saleTracked>;
export type RefundTracked = z.infer<typeof refundTracked>;
export type TrackClickResponse = ClickTracked | ClickInactive | TestEventTracked;
export type TrackLeadResponse = LeadTracked | TestEventTracked;
export type TrackSaleResponse = SaleTracked | TestEventTracked;
export type TrackRefundResponse = RefundTracked;

/** Body of `POST /api/v1/track/exists`. */
export const transactionsExistRequest = z.object({
  transaction_ids: z
    .array(idText('each of transaction_ids', 'each of transaction_ids must be a string'), {
      error: 'transaction_ids must be a list of 1 to 1000 transaction ids',
    })
    .min(1, { error: 'transaction_ids must be a list of 1 to 1000 transaction ids' })
    .max(1000, { error: 'transaction_ids must be a list of 1 to 1000 transaction ids' }),
});

/** Body of `POST /api/v1/cli/test-event`. */
export const testEventRequest = z.object({
  type: z.literal('chain', { error: 'type must be chain' }).describe('What to test: click, lead and sale.'),
});

export type TransactionsExistRequest = z.input<typeof transactionsExistRequest>;
