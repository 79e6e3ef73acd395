import type { Vendor } from './vendor.ts';

/**
 * Rewardful does not document the columns of its CSV exports. These are the columns of its import template, and
 * the fields of its REST API.
 */
export const rewardful: Vendor = {
  name: 'rewardful',
  title: 'Rewardful',
  sources: [
    'https://help.rewardful.com/en/articles/1988486-how-do-i-import-data-into-rewardful',
    'https://developers.rewardful.com/rest-api/affiliates/object',
    'https://developers.rewardful.com/rest-api/referrals/object',
    'https://developers.rewardful.com/rest-api/commissions/object',
    'https://developers.rewardful.com/rest-api/payouts/the-payout-object',
  ],
  amounts: 'minor',
  files: {
    partners: {
      names: ['affiliates', 'affiliate', 'partners'],
      columns: {
        id: ['id'],
        email: ['email'],
        first_name: ['first_name'],
        last_name: ['last_name'],
        status: ['state'],
        code: ['token', 'links_#_token'],
      },
    },
    customers: {
      names: ['referrals', 'customers', 'leads'],
      columns: {
        id: ['id'],
        key: ['stripe_customer_id', 'customer_id'],
        email: ['customer_email'],
        partner_id: ['affiliate_id'],
        partner_email: ['affiliate_email'],
        partner_code: ['link_token'],
        signup_at: ['became_lead_at', 'became_conversion_at', 'created_at'],
        stage: ['conversion_state'],
      },
    },
    commissions: {
      names: ['commissions'],
      columns: {
        id: ['id'],
        amount: ['amount'],
        currency: ['currency'],
        status: ['state'],
        earned_at: ['sale_charged_at', 'created_at'],
        due_at: ['due_at'],
        paid_at: ['paid_at'],
        sale_amount: ['sale_sale_amount_cents', 'sale_amount_cents'],
        sale_currency: ['sale_currency'],
        payment: ['sale_stripe_charge_id', 'stripe_charge_id'],
        partner_id: ['sale_affiliate_id', 'affiliate_id'],
        partner_email: ['sale_affiliate_email', 'affiliate_email'],
        partner_code: ['sale_referral_link_token'],
        customer_id: ['sale_referral_id', 'referral_id'],
        key: ['sale_referral_stripe_customer_id', 'sale_referral_customer_id', 'stripe_customer_id'],
        customer_email: ['sale_referral_customer_email', 'customer_email'],
      },
    },
    payouts: {
      names: ['payouts'],
      columns: { id: ['id'], amount: ['amount'], currency: ['currency'], status: ['state'] },
    },
  },
  partnerStatuses: { active: 'approved' },
  commissionStates: { pending: 'pending', due: 'approved', paid: 'paid', voided: 'rejected' },
  paidStatuses: ['paid'],
  ignored: { visitor: 'A visitor who has not signed up' },
};
