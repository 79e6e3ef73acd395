import { z } from 'zod';
import { notificationRow, userRow } from './accounts.ts';
import { count, id } from './envelope.ts';
import { commissionRow, linkRow, partnerRow, payoutRow } from './management.ts';

/** A program as one of its partners sees it, and where that partner stands in it. */
const portalProgramRow = z.object({
  program_id: id,
  name: z.string(),
  slug: z.string(),
  site_url: z.url(),
  currency: z.string(),
  cookie_window_days: z.int().min(1).max(365),
  ...partnerRow.pick({
    partner_program_id: true,
    status: true,
    balance_cents: true,
    payable_cents: true,
    balances: true,
    clicks: true,
    leads: true,
    conversions: true,
  }).shape,
  link_count: count,
});

/** Reply of `GET /api/partner/me`. */
export const portalPartnersReply = z.object({
  success: z.literal(true),
  user: userRow,
  partners: z.array(
    z.object({
      id,
      name: z.string(),
      email: z.string(),
      workspace_id: id,
      workspace_name: z.string(),
      programs: z.array(portalProgramRow),
    }),
  ),
});

/** A partner's link as the partner sees it. */
export const portalLinkRow = linkRow.extend({ program_id: id });

/** A commission as its partner sees it: nothing of the sale. */
export const portalCommissionRow = commissionRow
  .omit({
    sale_id: true,
    transaction_id: true,
    sale_amount_cents: true,
    subscription_id: true,
    created_at: true,
  })
  .extend({ program_id: id, partner_id: id });

/** A message to a partner. */
export const portalNotificationRow = notificationRow.extend({ partner_id: id });

/** A payout as its partner sees it. */
export const portalPayoutRow = payoutRow
  .omit({ partner_name: true, partner_email: true })
  .extend({ program_id: id });
