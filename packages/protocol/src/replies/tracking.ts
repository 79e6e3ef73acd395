import { z } from 'zod';

const ok = z.literal(true);
const id = z.number().int().positive();

/** The 200 reply to a recorded click. */
export const clickTracked = z.object({
  success: ok,
  click_id: z.string().describe("Click id of the visitor's click."),
  partner_code: z.string().describe('Code of the link that the visitor followed.'),
  cookie_window_days: z
    .number()
    .int()
    .describe('Number of days after a click during which a sale can earn a commission.'),
  attributed_partner_code: z.string().nullable(),
  attribution_model: z
    .enum(['last_click', 'first_click'])
    .describe('Whether the last or the first click earns the commission.'),
});

/** The 200 reply to a click on an inactive link. The click is not recorded. */
export const clickInactive = z.object({
  success: z.literal(false),
  message: z.string(),
  code: z.literal('link_inactive').describe('Stable code.'),
});

/** The 200 reply to an event in test mode. */
export const testEventTracked = z.object({
  success: ok,
  message: z.string(),
  data: z.object({ eventId: id, programId: id, test_mode: ok.describe('Marks a test event.') }),
});

/** The 200 reply to a lead. */
export const leadTracked = z.object({ success: ok, message: z.string() });

/**
 * The 200 reply to a sale. If the sale earns no commission, `commission_id` is null and `reason` says why.
 */
export const saleTracked = z.object({
  success: ok,
  sale_id: id,
  commission_id: id.nullable(),
  message: z.string(),
  reason: z
    .enum(['window_expired', 'recurring_ended', 'below_min_sale', 'zero_amount'])
    .describe('Why the sale earns no commission.')
    .optional(),
});

const refundStatus = 'Effect of the refund on the commission of the sale.';

/** The 200 reply to a refund. `deductionAmount` is in major units, such as dollars. */
export const refundTracked = z.union([
  z.object({
    success: ok,
    status: z.enum(['reversed', 'refunded']).describe(refundStatus),
    deductionAmount: z.number(),
    commission_id: id,
  }),
  z.object({
    success: ok,
    status: z.literal('skipped').describe(refundStatus),
    reason: z.string().describe('The reason why no amount was deducted.'),
    message: z.string().describe('The reason, and what you can do.'),
    commission_id: id,
  }),
  z.object({
    success: ok,
    status: z.literal('no_commission').describe(refundStatus),
    message: z.string(),
  }),
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
