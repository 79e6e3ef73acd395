import { z } from 'zod';
import { SCOPES } from '../scopes.ts';
import { count, id, time } from './envelope.ts';

/** A program as management shows it. */
export const programRow = z.object({
  id,
  workspace_id: id,
  name: z.string(),
  slug: z.string(),
  site_url: z.url(),
  status: z.enum(['draft', 'live']),
  cookie_window_days: z.int().min(1).max(365),
  attribution_model: z.enum(['last_click', 'first_click']),
  hold_days: z.int().min(0).max(365),
  currency: z.string(),
  allowed_origins: z.array(z.string()),
  cookie_domain: z.string().nullable(),
  browser_leads: z.enum(['all', 'without_key', 'off']),
  api_token_masked: z.string(),
  created_at: time,
});

/** A program just made: the only answer with its tracking token. */
export const createdProgramRow = programRow.extend({ api_token: z.string() });

/** A new tracking token: the only answer that shows it. */
export const tokenRow = z.object({ api_token: z.string(), api_token_masked: z.string() });

/** A partner's link. */
export const linkRow = z.object({
  id,
  short_link: z.string(),
  status: z.enum(['active', 'inactive']),
  partner_id: id.nullable(),
  url: z.url(),
  clicks: count,
  last_clicked: time.nullable(),
});

/** What a partner is owed in one currency. */
export const balanceRow = z.object({
  currency: z.string(),
  balance_cents: z.int(),
  payable_cents: z.int(),
});

/** A partner in a program. */
export const partnerRow = z.object({
  id,
  partner_program_id: id,
  name: z.string(),
  email: z.string(),
  status: z.enum(['pending', 'approved', 'rejected', 'banned']),
  balance_cents: z.int(),
  payable_cents: z.int(),
  balances: z.array(balanceRow),
  clicks: count,
  leads: count,
  conversions: count,
  links: z.array(linkRow),
});

/** An invitation, in the one answer that shows its token. */
const inviteFields = { invite_token: z.string().optional(), invite_expires_at: time.optional() };

/** A partner just enrolled; the invitation is there where its e-mail has no user. */
export const createdPartnerRow = partnerRow.extend(inviteFields);

/** Terms of commission: `rate` in percent, or a flat `amount_cents`. */
export const policyRow = z.object({
  id,
  type: z.enum(['percent', 'flat']),
  rate: z.number().min(0).max(100).optional(),
  amount_cents: count.nullable().optional(),
  product_id: z.string().nullable(),
  partner_id: id.nullable(),
  recurring_months: count.nullable(),
  is_default: z.boolean(),
  version: z.int().positive(),
  created_at: time,
});

/** What a partner earned by a sale. */
export const commissionRow = z.object({
  id,
  sale_id: id,
  transaction_id: z.string(),
  sale_amount_cents: count,
  partner_id: id.nullable(),
  status: z.enum(['pending', 'approved', 'paid', 'rejected', 'reversed', 'refunded']),
  amount_cents: count,
  deducted_cents: count,
  adjusted_cents: z.int(),
  currency: z.string(),
  subscription_id: z.string().nullable(),
  refund_reason: z.string().nullable(),
  commission_date: time,
  releasable_at: time,
  approved_at: time.nullable(),
  rejected_at: time.nullable(),
  payout_id: id.nullable(),
  paid_at: time.nullable(),
  created_at: time,
});

/** A commission just corrected, with the correction. */
export const adjustedCommissionRow = commissionRow.extend({
  adjustment: z.object({ id, amount_cents: z.int(), reason: z.string(), created_at: time }),
});

/** What is paid to a partner at once, in one currency. */
export const payoutRow = z.object({
  id,
  partner_id: id,
  partner_name: z.string(),
  partner_email: z.string(),
  currency: z.string(),
  status: z.enum(['pending', 'paid', 'cancelled']),
  amount_cents: count,
  commissions: count,
  reference: z.string().nullable(),
  ledger_position: z.int().positive().nullable(),
  ledger_hash: z.string().nullable(),
  created_at: time,
  paid_at: time.nullable(),
  cancelled_at: time.nullable(),
});

/** A management key, without its secret. */
export const apiKeyRow = z.object({
  id,
  workspace_id: id,
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(['*', ...SCOPES])),
  program_scope: z.array(z.string()).nullable(),
  expires_at: time.nullable(),
  status: z.enum(['active', 'revoked']),
  key_masked: z.string(),
  last_used_at: time.nullable(),
  created_at: time,
});

/** A key just made: the only answer with its secret. */
export const createdApiKeyRow = apiKeyRow.extend({ key: z.string() });

/** What a live program offers. */
export const marketplaceRow = z.object({
  name: z.string(),
  slug: z.string(),
  site_url: z.url(),
  commission: z.discriminatedUnion('type', [
    z.object({ type: z.literal('percent'), rate: z.number(), recurring_months: count.nullable() }),
    z.object({
      type: z.literal('flat'),
      amount_cents: count,
      currency: z.string(),
      recurring_months: count.nullable(),
    }),
  ]),
  cookie_window_days: z.int().min(1).max(365),
});

/** A connection to a payment processor, without its secret. */
export const processorConnectionRow = z.object({
  id,
  workspace_id: id,
  processor: z.literal('stripe'),
  account_id: z.string(),
  status: z.enum(['pending', 'connected', 'disconnected']),
  charges_enabled: z.boolean(),
  payouts_enabled: z.boolean(),
  details_submitted: z.boolean(),
  webhook_path: z.string(),
  previous_secret_until: time.nullable(),
  connected_at: time.nullable(),
  disconnected_at: time.nullable(),
  created_at: time,
});

/** Reply to a processor's webhook: what came of it. */
export const webhookReply = z.object({
  success: z.literal(true),
  received: z.literal(true),
  outcome: z.enum(['sale_recorded', 'duplicate', 'refunded', 'refund_skipped', 'parked', 'tied', 'ignored']),
  reason: z.string().optional(),
});
