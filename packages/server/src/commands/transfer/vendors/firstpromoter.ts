import type { Vendor } from './vendor.ts';

const NOT_MONEY = 'A reward that is not money';

/** FirstPromoter does not document the columns of its CSV exports. These are the fields of its API v2. */
export const firstpromoter: Vendor = {
  name: 'firstpromoter',
  title: 'FirstPromoter',
  sources: [
    'https://docs.firstpromoter.com/api-reference-v2/api-admin/promoters/get-promoters',
    'https://docs.firstpromoter.com/api-reference-v2/api-admin/referrals/get-all-referrals',
    'https://docs.firstpromoter.com/api-reference-v2/api-admin/commissions/get-all-commissions',
  ],
  amounts: 'minor',
  files: {
    partners: {
      names: ['promoters', 'affiliates', 'partners'],
      columns: {
        id: ['id'],
        email: ['email'],
        name: ['name'],
        first_name: ['first_name', 'profile_first_name'],
        last_name: ['last_name', 'profile_last_name'],
        status: ['state', 'status', 'promoter_campaigns_0_state'],
        code: ['ref_token', 'promoter_campaigns_#_ref_token'],
      },
    },
    customers: {
      names: ['referrals', 'leads', 'customers'],
      columns: {
        id: ['id'],
        key: ['uid'],
        email: ['email'],
        partner_id: ['promoter_campaign_promoter_id', 'promoter_id'],
        partner_email: ['promoter_campaign_promoter_email', 'promoter_email'],
        partner_code: ['promoter_campaign_ref_token'],
        signup_at: ['created_at'],
      },
    },
    commissions: {
      names: ['commissions', 'rewards'],
      columns: {
        id: ['id'],
        amount: ['amount'],
        currency: ['currency'],
        status: ['status'],
        is_paid: ['is_paid'],
        unit: ['unit'],
        earned_at: ['created_at'],
        paid_at: ['paid_at'],
        sale_amount: ['sale_amount'],
        payment: ['event_id'],
        partner_id: ['promoter_campaign_promoter_id', 'promoter_id'],
        partner_email: ['promoter_campaign_promoter_email', 'promoter_email'],
        customer_id: ['referral_id'],
        key: ['referral_uid'],
        customer_email: ['referral_email'],
      },
    },
    payouts: {
      names: ['payouts'],
      columns: { id: ['id'], amount: ['amount'], currency: ['currency'], status: ['status'] },
    },
  },
  partnerStatuses: {
    accepted: 'approved',
    active: 'approved',
    pending: 'pending',
    rejected: 'rejected',
    blocked: 'banned',
  },
  commissionStates: { pending: 'pending', approved: 'approved', denied: 'rejected' },
  paidStatuses: ['completed', 'paid'],
  ignored: {
    credits: NOT_MONEY,
    points: NOT_MONEY,
    free_months: NOT_MONEY,
    mon_discount: NOT_MONEY,
    discount_per: NOT_MONEY,
  },
};
