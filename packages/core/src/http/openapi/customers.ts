import { customerRow, itemReply, listReply } from '@affkit/protocol';
import type { z } from 'zod';
import { type Descriptions, reply } from './description.ts';
import { AT, CLICK_ID, page } from './examples.ts';

const P = '/api/advertiser/affiliate-programs/:id';

const customer: z.output<typeof customerRow> = {
  id: 1,
  click_id: CLICK_ID,
  customer_status: 'conversion',
  customer_key: 'user-1',
  customer_key_state: 'verified',
  email: 'j***@example.com',
  partner_id: 1,
  partner_name: 'Anna',
  link_id: 1,
  last_click_at: AT,
  signup_date: AT,
  first_purchase_date: AT,
  created_at: AT,
};

export const customerDescriptions: Descriptions = {
  [`GET ${P}/customers`]: {
    id: 'listCustomers',
    tag: 'Customers',
    summary: 'List customers',
    description:
      'The newest 1,000 customers, newest first. If there are more, `meta.pagination.total_capped` is present.',
    replies: {
      200: reply('A page of customers.', listReply(customerRow), {
        One: { success: true, data: [customer], meta: page(1) },
      }),
    },
  },
  [`GET ${P}/customers/:customerId`]: {
    id: 'readCustomer',
    tag: 'Customers',
    summary: 'Get a customer',
    replies: {
      200: reply('The customer.', itemReply(customerRow), { One: { success: true, data: customer } }),
    },
    errors: ['not_found'],
  },
};
