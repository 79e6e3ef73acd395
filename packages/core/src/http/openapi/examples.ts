import type { commissionRow, linkRow, partnerRow, payoutRow, programRow } from '@affkit/protocol';
import type { z } from 'zod';

export const EXAMPLE_CLICK_ID = 'clk_000001g01k3sjv5g00q8mzt4h0fjw2cn9x';
export const EXAMPLE_TIME = '2026-01-31T12:00:00.000Z';

export const examplePagination = (total: number) => ({
  pagination: { page: 1, pageSize: 10, pageCount: Math.ceil(total / 10), total },
});

export const exampleUser = { id: 1, email: 'owner@shop.example', name: 'Olga Owner' };

export const exampleInvite = {
  invite_token: 'affi_EXAMPLE',
  invite_expires_at: '2026-02-07T12:00:00.000Z',
};

export const exampleProgram: z.output<typeof programRow> = {
  id: 1,
  workspace_id: 1,
  name: 'Tea Shop',
  slug: 'tea-shop',
  site_url: 'https://shop.example/',
  status: 'live',
  cookie_window_days: 60,
  attribution_model: 'last_click',
  hold_days: 30,
  currency: 'USD',
  allowed_origins: ['https://shop.example'],
  cookie_domain: null,
  browser_leads: 'all',
  claimed_keys: 'review',
  require_origin: false,
  min_sale_cents: 0,
  commission_base: 'total',
  api_token_masked: 'aff_abcd…wxyz',
  created_at: EXAMPLE_TIME,
  data_since: EXAMPLE_TIME,
};

export const exampleLink: z.output<typeof linkRow> = {
  id: 1,
  short_link: 'anna',
  status: 'active',
  partner_id: 1,
  url: 'https://shop.example/?aff=anna',
  clicks: 1204,
  last_clicked: EXAMPLE_TIME,
};

export const examplePartner: z.output<typeof partnerRow> = {
  id: 1,
  partner_program_id: 1,
  name: 'Anna',
  email: 'anna@blog.example',
  status: 'approved',
  status_reason: null,
  applied_at: null,
  balance_cents: 4200,
  payable_cents: 3000,
  balances: [{ currency: 'USD', balance_cents: 4200, payable_cents: 3000 }],
  clicks: 1204,
  leads: 31,
  conversions: 12,
  links: [exampleLink],
};

export const exampleCommission: z.output<typeof commissionRow> = {
  id: 1,
  sale_id: 1,
  transaction_id: 'order-1',
  sale_amount_cents: 1999,
  sale_currency: 'USD',
  partner_id: 1,
  partner_name: 'Anna',
  status: 'pending',
  amount_cents: 400,
  deducted_cents: 0,
  adjusted_cents: 0,
  currency: 'USD',
  subscription_id: null,
  refund_reason: null,
  commission_date: EXAMPLE_TIME,
  releasable_at: '2026-03-02T12:00:00.000Z',
  needs_approval: false,
  disputed: false,
  approved_at: null,
  rejected_at: null,
  payout_id: null,
  paid_at: null,
  created_at: EXAMPLE_TIME,
};

export const examplePayout: z.output<typeof payoutRow> = {
  id: 1,
  partner_id: 1,
  partner_name: 'Anna',
  partner_email: 'anna@blog.example',
  currency: 'USD',
  status: 'pending',
  amount_cents: 3000,
  commissions: 8,
  reference: null,
  batch_id: null,
  details_changed_at: '2025-11-02T09:00:00.000Z',
  ledger_position: 214,
  ledger_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  created_at: EXAMPLE_TIME,
  paid_at: null,
  cancelled_at: null,
};
