import { z } from 'zod';
import { notificationRow, userRow } from './accounts.ts';
import { count, email, id, partnerId, programId, time, workspaceId } from './envelope.ts';
import { commissionRow, linkRow, partnerRow, payoutRow, programRow } from './management.ts';
import { payoutDetailsRow } from './payout-details.ts';
import { payoutSettingsRow } from './payout-settings.ts';
import { publicProgramRow } from './program-page.ts';

/** The terms of a commission, as shown to a partner. */
const offerTerms = publicProgramRow.shape.commission.extend({
  text: z.string().describe('The commission in plain words.'),
});

/** A program as shown to one of its partners, with the figures of that partner. */
const portalProgramRow = z.object({
  program_id: programId,
  ...programRow.pick({ name: true, slug: true, site_url: true, currency: true, cookie_window_days: true })
    .shape,
  ...partnerRow.pick({
    partner_program_id: true,
    status: true,
    status_reason: true,
    balance_cents: true,
    payable_cents: true,
    balances: true,
    clicks: true,
    leads: true,
    conversions: true,
  }).shape,
  link_count: count,
  enrolled_at: time.describe('When the partner was added to the program, or applied.'),
  data_since: time.describe(
    'Start of the first UTC day with data of the partner in the program, or `enrolled_at` if that is earlier. Imported data may be older than the enrollment.',
  ),
  payouts: z
    .object({
      min_payout_cents: count
        .nullable()
        .describe(
          "Minimum payout, in the smallest unit of the payout's currency: the partner's own minimum, or else the minimum of the program. Null without a minimum.",
        ),
      schedule_day: payoutSettingsRow.shape.schedule_day,
      next_at: time
        .nullable()
        .describe(
          'Start of the day (UTC) on which the next payouts are proposed, which may be today. Null without a schedule.',
        ),
    })
    .describe('How the program pays.'),
  terms: z
    .object({
      hold_days: publicProgramRow.shape.hold_days,
      commission: offerTerms
        .nullable()
        .describe('The commission for products without a policy of their own.'),
      products: z
        .array(offerTerms.extend({ product_id: z.string().describe("The advertiser's id of the product.") }))
        .describe('The commission for products with a policy of their own, at most 50 products.'),
    })
    .describe('The terms on which the partner earns commissions now.'),
});

/** Reply of `GET /api/partner/me`. */
export const portalPartnersReply = z.object({
  success: z.literal(true),
  user: userRow.describe('The user.'),
  email_delivery: z
    .enum(['email', 'none'])
    .describe('Whether this service sends emails, for example after a decision about an application.'),
  partners: z.array(
    z.object({
      id,
      name: partnerRow.shape.name,
      email,
      workspace_id: workspaceId,
      workspace_name: z.string().describe('Display name of the workspace.'),
      programs: z.array(portalProgramRow),
    }),
  ),
});

const subId = z.string().nullable();

/** A link as shown to its partner. */
export const portalLinkRow = linkRow.extend({
  program_id: programId,
  landing_path: z.string().nullable().describe("Path that the link opens. Null for the program's site."),
  sub_id: subId.describe('Sub-id that the link sends with each click.'),
});

/** A commission as shown to its partner, without fields of the sale. */
export const portalCommissionRow = commissionRow
  .omit({
    sale_id: true,
    transaction_id: true,
    sale_amount_cents: true,
    sale_currency: true,
    partner_name: true,
    subscription_id: true,
    created_at: true,
  })
  .extend({ program_id: programId, partner_id: partnerId });

/** A notification of a partner. */
export const portalNotificationRow = notificationRow.extend({ partner_id: partnerId });

/** A payout as shown to its partner. */
export const portalPayoutRow = payoutRow
  .omit({ partner_name: true, partner_email: true, batch_id: true, details_changed_at: true })
  .extend({ program_id: programId });

/** A payout with the names that its receipt shows. */
export const portalPayoutDetailRow = portalPayoutRow.extend({
  program_name: z.string().describe('Display name of the program.'),
  workspace_name: z.string().describe('Display name of the workspace.'),
  partner_name: z.string().describe('Display name of the partner.'),
  partner_email: z.string().describe('Email address of the partner.'),
  payee: payoutDetailsRow
    .pick({ tax_name: true, tax_id: true, address: true })
    .extend({
      method: payoutDetailsRow.shape.method
        .nullable()
        .describe('How the payout was paid, or how it will be paid. Null if unknown.'),
    })
    .nullable()
    .describe(
      'Payout details of the partner at the time of the payment. If the payout is not paid, or the partner had no details at that time, these are the current details. Null if the partner has no details.',
    ),
});
