import type { Vendor } from './vendor.ts';

/** The columns of the CSV exports of Dub, as its public source code defines them. */
export const dub: Vendor = {
  name: 'dub',
  title: 'Dub',
  sources: [
    'https://github.com/dubinc/dub/blob/main/apps/web/lib/zod/schemas/partners.ts',
    'https://github.com/dubinc/dub/blob/main/apps/web/lib/zod/schemas/commissions.ts',
    'https://github.com/dubinc/dub/blob/main/apps/web/lib/zod/schemas/payouts.ts',
    'https://dub.co/help/article/managing-program-partners',
    'https://dub.co/help/article/partner-commissions-clawbacks',
  ],
  amounts: 'major',
  files: {
    partners: {
      names: ['partners'],
      columns: { id: ['id'], name: ['name'], email: ['email'], status: ['status'] },
    },
    links: {
      names: ['links'],
      columns: { code: ['key'], partner_id: ['partner_id'], partner_email: ['partner_email'] },
    },
    customers: {
      names: ['customers'],
      columns: {
        id: ['id'],
        key: ['external_id'],
        email: ['email'],
        partner_id: ['partner_id'],
        partner_email: ['partner_email', 'partner'],
        signup_at: ['created_at'],
      },
    },
    commissions: {
      names: ['commissions'],
      columns: {
        id: ['id'],
        sale_amount: ['amount'],
        amount: ['earnings'],
        currency: ['currency'],
        status: ['status'],
        earned_at: ['created_at'],
        paid_at: ['paid_at'],
        payment: ['invoice_id'],
        partner_id: ['partner_id'],
        partner_email: ['partner_email'],
        customer_id: ['customer_id'],
        key: ['customer_external_id'],
        customer_email: ['customer_email'],
      },
    },
    payouts: {
      names: ['payouts'],
      columns: { id: ['id'], amount: ['amount'], currency: ['currency'], status: ['status'] },
    },
  },
  partnerStatuses: {
    approved: 'approved',
    pending: 'pending',
    invited: 'pending',
    rejected: 'rejected',
    declined: 'rejected',
    archived: 'rejected',
    deactivated: 'rejected',
    banned: 'banned',
  },
  commissionStates: {
    pending: 'pending',
    processed: 'approved',
    paid: 'paid',
    refunded: 'reversed',
    fraud: 'rejected',
    duplicate: 'rejected',
    canceled: 'rejected',
  },
  paidStatuses: ['sent', 'completed'],
};
