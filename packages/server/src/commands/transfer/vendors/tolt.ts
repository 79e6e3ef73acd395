import type { Vendor } from './vendor.ts';

/** Tolt does not document the columns of its CSV exports. These are the fields of its API. */
export const tolt: Vendor = {
  name: 'tolt',
  title: 'Tolt',
  sources: [
    'https://docs.tolt.com/partners/list',
    'https://docs.tolt.com/customers/list',
    'https://docs.tolt.com/commissions/list',
    'https://docs.tolt.com/webhooks/events/commission-created',
    'https://help.tolt.io/en/articles/9952412-partner-profile-status-explained',
  ],
  amounts: 'minor',
  files: {
    partners: {
      names: ['partners', 'affiliates'],
      columns: {
        id: ['id'],
        email: ['email'],
        first_name: ['first_name'],
        last_name: ['last_name'],
        status: ['status'],
        code: ['links_#_value'],
      },
    },
    links: {
      names: ['links'],
      columns: { code: ['value'], partner_id: ['partner_id'], partner_email: ['partner_email'] },
    },
    customers: {
      names: ['customers', 'referrals', 'leads'],
      columns: {
        id: ['id'],
        key: ['customer_id'],
        email: ['email'],
        partner_id: ['partner_id'],
        partner_email: ['partner_email'],
        signup_at: ['created_at'],
      },
    },
    commissions: {
      names: ['commissions'],
      columns: {
        id: ['id'],
        amount: ['amount'],
        currency: ['currency'],
        status: ['status'],
        earned_at: ['created_at'],
        paid_at: ['paid_at'],
        payout: ['payout_id'],
        sale_amount: ['revenue'],
        payment: ['charge_id', 'transaction_id'],
        partner_id: ['partner_id'],
        partner_email: ['partner_email'],
        customer_id: ['customer_id'],
        customer_email: ['customer_email'],
      },
    },
    payouts: {
      names: ['payouts'],
      columns: { id: ['id'], amount: ['amount'], currency: ['currency'], status: ['status'] },
    },
  },
  partnerStatuses: { active: 'approved', pending: 'pending', suspended: 'banned' },
  commissionStates: {
    pending: 'pending',
    approved: 'approved',
    paid: 'paid',
    rejected: 'rejected',
    refunded: 'reversed',
  },
  paidStatuses: ['paid'],
};
