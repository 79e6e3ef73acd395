import type { Vendor } from './vendor.ts';

/**
 * PartnerStack documents the columns of the files that it imports, but not those of its exports. These are the
 * import columns for partners, and the fields of PartnerStack's API.
 */
export const partnerstack: Vendor = {
  name: 'partnerstack',
  title: 'PartnerStack',
  sources: [
    'https://docs.partnerstack.com/docs/universal-importer',
    'https://support.partnerstack.com/hc/en-us/articles/360009012554-Importing-Historical-Data-into-PartnerStack',
    'https://docs.partnerstack.com/reference',
  ],
  amounts: 'minor',
  files: {
    partners: {
      names: ['partners', 'partnerships'],
      columns: {
        id: ['key', 'partner_key'],
        email: ['email', 'partner_email'],
        first_name: ['first_name', 'partner_first'],
        last_name: ['last_name', 'partner_last'],
        // The key is the end of the partner's default link.
        code: ['partner_key', 'key'],
      },
    },
    customers: {
      names: ['customers'],
      columns: {
        id: ['key'],
        key: ['customer_key', 'external_key', 'provider_key'],
        email: ['email'],
        partner_id: ['partnership_key', 'partner_key'],
        signup_at: ['created_at'],
      },
    },
    commissions: {
      names: ['rewards', 'commissions'],
      columns: {
        id: ['key'],
        amount: ['amount'],
        currency: ['currency'],
        status: ['reward_status'],
        earned_at: ['created_at'],
        sale_amount: ['transaction_amount'],
        sale_currency: ['transaction_currency'],
        payment: ['transaction_key'],
        partner_id: ['partnership_key', 'partner_key'],
        partner_email: ['partnership_email'],
        customer_id: ['customer_key'],
        key: ['customer_external_key'],
        customer_email: ['customer_email'],
      },
    },
  },
  partnerStatuses: {},
  commissionStates: {
    hold: 'pending',
    pending: 'pending',
    approved: 'approved',
    scheduled: 'approved',
    declined: 'rejected',
    paid: 'paid',
  },
  paidStatuses: [],
};
