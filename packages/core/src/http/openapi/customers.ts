import { customerRow, itemReply, listReply } from '@affkit/protocol';
import type { z } from 'zod';
import { type Descriptions, reply } from './description.ts';
import { EXAMPLE_CLICK_ID, EXAMPLE_TIME, examplePagination } from './examples.ts';

const DESCRIBED_PROGRAM_PATH = '/api/advertiser/affiliate-programs/:id';

const exampleCustomer: z.output<typeof customerRow> = {
  id: 1,
  click_id: EXAMPLE_CLICK_ID,
  customer_status: 'conversion',
  customer_key: 'user-1',
  customer_key_state: 'verified',
  email: 'j***@example.com',
  partner_id: 1,
  partner_name: 'Anna',
  link_id: 1,
  last_click_at: EXAMPLE_TIME,
  signup_date: EXAMPLE_TIME,
  first_purchase_date: EXAMPLE_TIME,
  created_at: EXAMPLE_TIME,
};

export const customerDescriptions: Descriptions = {
  [`GET ${DESCRIBED_PROGRAM_PATH}/customers`]: {
    id: 'listCustomers',
    tag: 'Customers',
    summary: 'List customers',
    description:
      'The newest 1,000 customers, newest first. If there are more, `meta.pagination.total_capped` is present.',
    replies: {
      200: reply('A page of customers.', listReply(customerRow), {
        One: { success: true, data: [exampleCustomer], meta: examplePagination(1) },
      }),
    },
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/customers/:customerId`]: {
    id: 'readCustomer',
    tag: 'Customers',
    summary: 'Get a customer',
    replies: {
      200: reply('The customer.', itemReply(customerRow), { One: { success: true, data: exampleCustomer } }),
    },
    errors: ['not_found'],
  },
};
