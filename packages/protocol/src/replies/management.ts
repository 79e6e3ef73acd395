import { z } from 'zod';
import { SCOPES } from '../scopes.ts';
import {
  amount,
  count,
  createdAt,
  currency,
  email,
  id,
  inviteFields,
  partnerId,
  rowId,
  time,
  workspaceId,
} from './envelope.ts';
import { partnerAmountFields } from './partner-amounts.ts';
import { applicationRow } from './program-page.ts';

const cookieWindowDays = z
  .int()
  .min(1)
  .max(365)
  .describe('Number of days after a click during which a sale can earn a commission.');
const programName = z.string().describe('Display name of the program.');
const slug = z.string().describe('Name of the program in URLs.');
const siteUrl = z.url().describe('URL of the shop. Links lead there.');
const maskedToken = z.string().describe('Masked tracking token. Only its start and end are shown.');
const apiToken = z.string().describe('Tracking token. Only this reply shows it.');
const TYPE_TEXT = 'Whether the commission is a percentage of the sale or a flat amount.';
const RATE_TEXT = 'Percentage of the sale.';
const AMOUNT_TEXT = 'Amount, in the smallest unit of the currency.';
const recurringMonths = count
  .nullable()
  .describe(
    'Number of months in which renewals earn commissions. Null means no limit. With 0, only the first payment earns.',
  );
const nullablePartnerName = z.string().nullable().describe('Display name of the partner.');

export const programRow = z.object({
  id,
  workspace_id: workspaceId,
  name: programName,
  slug,
  site_url: siteUrl,
  status: z.enum(['draft', 'live']).describe('Whether the marketplace lists the program.'),
  cookie_window_days: cookieWindowDays,
  attribution_model: z
    .enum(['last_click', 'first_click'])
    .describe('Whether the last or the first click earns the commission.'),
  hold_days: z
    .int()
    .min(0)
    .max(365)
    .describe('How many days a commission is held for refunds before it can be paid out.'),
  currency,
  allowed_origins: z.array(z.string()).describe('Origins whose pages may send events; `*` allows any.'),
  cookie_domain: z
    .string()
    .nullable()
    .describe(
      'Domain of the click cookie. The service sets the cookie only if its own host is in this domain.',
    ),
  browser_leads: z
    .enum(['all', 'without_key', 'off'])
    .describe('Which leads browsers may record: all leads, only leads without `customer_key`, or none.'),
  claimed_keys: z
    .enum(['review', 'pay'])
    .describe(
      "How to treat the commission if only a browser has reported the customer's `customer_key`. `review`: held until you approve it or your server confirms the key. `pay`: treated like any other commission.",
    ),
  require_origin: z
    .boolean()
    .describe('Whether clicks and browser leads without an `Origin` header are rejected.'),
  min_sale_cents: z
    .int()
    .min(0)
    .describe(
      "Amount below which a sale earns no commission, in the smallest unit of the sale's currency. 0 means no minimum.",
    ),
  commission_base: z
    .enum(['total', 'net'])
    .describe(
      'Whether a percent commission is computed from the whole sale, or from the sale without tax and shipping.',
    ),
  api_token_masked: maskedToken,
  created_at: createdAt,
  data_since: time.describe(
    'Start of the first UTC day with data, or `created_at` if that is earlier. Imported data may be older than the program.',
  ),
});

/** A new program. Only this reply contains the tracking token. */
export const createdProgramRow = programRow.extend({ api_token: apiToken });

/** A new tracking token. Only this reply contains it. */
export const tokenRow = z.object({ api_token: apiToken, api_token_masked: maskedToken });

export const linkRow = z.object({
  id,
  short_link: z.string().describe('Code in the link, unique in the whole service regardless of case.'),
  status: z
    .enum(['active', 'inactive'])
    .describe(
      'Whether the link is switched on. An active link records clicks only while its partner is approved.',
    ),
  partner_id: rowId.nullable().describe('Id of the partner.'),
  url: z.url().describe('The link itself.'),
  clicks: count,
  last_clicked: time.nullable(),
});

const enrollmentStatus = z
  .enum(['pending', 'approved', 'rejected', 'banned'])
  .describe('Status of the enrollment. Links record clicks only while the partner is approved.');

/** A link with the name and status of its partner, as the routes of a program return it. */
export const listedLinkRow = linkRow.extend({
  partner_name: nullablePartnerName,
  partner_status: enrollmentStatus
    .nullable()
    .describe('Status of the partner. An active link records clicks only while its partner is `approved`.'),
});

const balanceFields = {
  balance_cents: z.int().describe('Amount owed to the partner, including payouts in progress.'),
  payable_cents: z.int().describe('Amount that a payout would include now.'),
};

export const balanceRow = z.object({ currency, ...balanceFields });

export const partnerRow = z.object({
  id,
  partner_program_id: rowId.describe('Id of the enrollment.'),
  name: z.string().describe('Display name of the partner.'),
  email,
  status: enrollmentStatus,
  status_reason: z.string().nullable().describe('Reason for the status. The partner can read the reason.'),
  applied_at: time.nullable().describe('When the partner applied. Null if the partner was invited.'),
  ...balanceFields,
  balances: z.array(balanceRow),
  clicks: count,
  leads: count,
  conversions: count,
  links: z.array(linkRow),
});

/** A partner of a program, with the partner's application. */
export const partnerDetailRow = partnerRow.extend({
  application: applicationRow.nullable().describe('Null if the partner was invited.'),
  min_payout_cents: count
    .nullable()
    .describe(
      "Minimum payout of this partner, in the smallest unit of the payout's currency. If null, the program's minimum applies.",
    ),
  amounts: z
    .array(z.object({ currency, ...partnerAmountFields }))
    .describe("The partner's other amounts, by currency. The payable amount is in `balances`."),
  has_account: z.boolean().describe('Whether the partner has accepted an invitation, and can sign in.'),
});

/** A changed partner. The invitation is present if an application was approved and the applicant has no account. */
export const changedPartnerRow = partnerDetailRow.extend(inviteFields);

/** A new enrollment. It contains an invitation if the email address has no user. */
export const createdPartnerRow = partnerRow.extend(inviteFields);

/** A commission policy. It has a `rate` in percent or a flat `amount_cents`. */
export const policyRow = z.object({
  id,
  type: z.enum(['percent', 'flat']).describe(TYPE_TEXT),
  rate: z.number().min(0).max(100).describe(RATE_TEXT).optional(),
  amount_cents: count.nullable().describe('Flat amount, in the smallest unit of the currency.').optional(),
  product_id: z.string().nullable().describe('Your id of the product; null covers all products.'),
  partner_id: rowId.nullable().describe('Id of the partner; null covers all partners.'),
  recurring_months: recurringMonths,
  is_default: z.boolean().describe('Whether this is the default policy of the program.'),
  version: z.int().positive().describe('Number of the version, starting at 1.'),
  created_at: createdAt,
});

/** A policy in the list of a program's policies. */
export const listedPolicyRow = policyRow.extend({ partner_name: nullablePartnerName });

/** The commission of a sale. */
export const commissionRow = z.object({
  id,
  sale_id: rowId.describe('Id of the sale.'),
  transaction_id: z.string().describe('Your id of the payment.'),
  sale_amount_cents: count.describe('Amount of the sale, in the smallest unit of `sale_currency`.'),
  sale_currency: currency.describe(
    'Currency of the sale. It can differ from `currency` if the commission is a flat amount.',
  ),
  partner_id: rowId.nullable().describe('Id of the partner.'),
  partner_name: z.string().describe('Display name of the partner.'),
  status: z
    .enum(['pending', 'approved', 'paid', 'rejected', 'reversed', 'refunded'])
    .describe('Status of the commission.'),
  amount_cents: count.describe(AMOUNT_TEXT),
  deducted_cents: count.describe(
    'Amount deducted by refunds. For a rejected commission, it is `amount_cents`. The rejection also deducts the adjustments, which this amount does not include.',
  ),
  adjusted_cents: z
    .int()
    .describe("Sum of the adjustments. A negative sum was subtracted from the partner's balance."),
  currency,
  subscription_id: z.string().nullable().describe('Your id of the subscription.'),
  refund_reason: z.string().nullable().describe('Reason for the refund.'),
  commission_date: time,
  releasable_at: time.describe('When the hold ends.'),
  needs_approval: z
    .boolean()
    .describe(
      'Whether the commission becomes payable only when it is approved. The end of the hold then has no effect.',
    ),
  disputed: z
    .boolean()
    .describe('Whether a dispute of the payment is open. Until it ends, the commission is not payable.'),
  approved_at: time.nullable(),
  rejected_at: time.nullable(),
  payout_id: rowId.nullable().describe('Id of the payout.'),
  paid_at: time.nullable().describe('When the payout was marked as paid.'),
  created_at: createdAt,
});

/** The totals of all commissions with the same status and currency. */
export const commissionTotalRow = z.object({
  status: commissionRow.shape.status,
  currency,
  count,
  amount_cents: count.describe('Sum of `amount_cents` of the commissions.'),
  deducted_cents: count.describe('Sum of `deducted_cents` of the commissions.'),
  adjusted_cents: z.int().describe('Sum of `adjusted_cents` of the commissions.'),
});

/** A commission, and the adjustment that was just made. */
export const adjustedCommissionRow = commissionRow.extend({
  adjustment: z.object({
    id,
    amount_cents: amount,
    reason: z.string().describe('Reason for the adjustment.'),
    created_at: createdAt,
  }),
});

/** A payment to a partner in one currency. */
export const payoutRow = z.object({
  id,
  partner_id: partnerId,
  partner_name: z.string().describe('Display name of the partner.'),
  partner_email: email,
  currency,
  status: z.enum(['pending', 'paid', 'cancelled']).describe('Status of the payout.'),
  amount_cents: count.describe(AMOUNT_TEXT),
  commissions: count.describe('Number of commissions in the payout.'),
  reference: z.string().nullable().describe('Your reference for the payment.'),
  batch_id: rowId.nullable().describe('Id of the open batch that contains the payout.'),
  details_changed_at: time
    .nullable()
    .describe('When the payout details of the partner were last changed. Null if there are none.'),
  ledger_position: z
    .int()
    .positive()
    .nullable()
    .describe(
      "Right after the payout was created, this was the position of the newest entry in the program's ledger, which is a hash chain.",
    ),
  ledger_hash: z.string().nullable().describe('Hash of that ledger entry.'),
  created_at: createdAt,
  paid_at: time.nullable().describe('When the payout was marked as paid.'),
  cancelled_at: time.nullable().describe('When the payout was cancelled.'),
});

/** A management key, without its secret. */
export const apiKeyRow = z.object({
  id,
  workspace_id: workspaceId,
  name: z.string().describe('Display name of the key.'),
  prefix: z.string().describe('First characters of the key.'),
  scopes: z.array(z.enum(['*', ...SCOPES])).describe('Actions that the key allows; `*` allows all.'),
  program_scope: z
    .array(z.string())
    .nullable()
    .describe('Ids of the programs that the key covers; null means all.'),
  expires_at: time.nullable().describe('When the key expires; null means never.'),
  status: z.enum(['active', 'revoked']).describe('Whether the key was revoked.'),
  key_masked: z.string().describe('Masked key. Only its start and end are shown.'),
  last_used_at: time.nullable(),
  created_at: createdAt,
});

/** A new key. Only this reply contains its secret. */
export const createdApiKeyRow = apiKeyRow.extend({
  key: z.string().describe('The key. Only this reply shows it.'),
});

/** A live program, as listed on the marketplace. */
export const marketplaceRow = z.object({
  name: programName,
  slug,
  site_url: siteUrl,
  commission: z
    .discriminatedUnion('type', [
      z.object({
        type: z.literal('percent').describe(TYPE_TEXT),
        rate: z.number().describe(RATE_TEXT),
        recurring_months: recurringMonths,
      }),
      z.object({
        type: z.literal('flat').describe(TYPE_TEXT),
        amount_cents: count.describe('Flat amount, in the smallest unit of the currency.'),
        currency,
        recurring_months: recurringMonths,
      }),
    ])
    .describe('Commission that partners earn by default.'),
  cookie_window_days: cookieWindowDays,
});

/** A connection to a payment processor, without its secret. */
export const processorConnectionRow = z.object({
  id,
  workspace_id: workspaceId,
  processor: z.literal('stripe').describe('Payment processor.'),
  account_id: z.string().describe('Id of your account at the processor.'),
  mode: z.enum(['live', 'test']).describe('Mode of the events that the connection accepts.'),
  record_test_events: z
    .boolean()
    .describe('Whether a live connection records payments in test mode as test sales.'),
  status: z
    .enum(['pending', 'connected', 'disconnected'])
    .describe('Status of the connection. It is `pending` until the first verified webhook.'),
  charges_enabled: z.boolean().describe('Whether the account can take payments.'),
  payouts_enabled: z.boolean().describe('Whether the account can receive payouts.'),
  details_submitted: z.boolean().describe('Whether the account has submitted all its details.'),
  webhook_path: z.string().describe("Path of this service that receives the processor's webhooks."),
  previous_secret_until: time.nullable().describe('When the previous secret becomes invalid.'),
  connected_at: time.nullable().describe('When the first verified webhook arrived.'),
  disconnected_at: time.nullable().describe('When the processor was disconnected.'),
  created_at: createdAt,
});

/** Reply to a webhook of a processor. */
export const webhookReply = z.object({
  success: z.literal(true),
  received: z.literal(true),
  outcome: z
    .enum([
      'sale_recorded',
      'duplicate',
      'refunded',
      'refund_skipped',
      'refund_failed',
      'dispute_held',
      'dispute_released',
      'dispute_lost',
      'dispute_skipped',
      'parked',
      'tied',
      'test_recorded',
      'ignored',
    ])
    .describe('Effect of the event.'),
  reason: z.string().describe('Stable code of the reason.').optional(),
});
