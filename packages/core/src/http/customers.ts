import { customersQuery } from '@affkit/protocol';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { type CustomerView, findCustomer, listCustomers } from '../storage/reads/customer-list.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithFound, route } from './route.ts';

const CUSTOMERS_PATH = '/api/advertiser/affiliate-programs/:id/customers';

export const customerRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: CUSTOMERS_PATH,
    readsReplica: true,
    access: { kind: 'management', scope: 'customer:list', program: true },
    query: customersQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const { customers, total } = await listCustomers(
        runtime.engine,
        program.id,
        query.q,
        rowRangeOf(query),
      );
      return replyWithList(customers.map(toCustomerReply), query, total);
    },
  }),
  route({
    method: 'GET',
    path: `${CUSTOMERS_PATH}/:customerId`,
    access: { kind: 'management', scope: 'customer:list', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithFound(await findCustomer(runtime.engine.read, program.id, params.customerId), toCustomerReply),
  }),
];

function toCustomerReply(customer: CustomerView) {
  return {
    id: customer.id,
    click_id: customer.click_id,
    customer_status: customer.status,
    customer_key: customer.customer_key,
    customer_key_state: customer.key_state,
    email: customer.email_masked,
    partner_id: customer.partner_id,
    partner_name: customer.partner_name,
    link_id: customer.link_id,
    last_click_at: isoTime(customer.last_click_at),
    signup_date: isoTimeOrNull(customer.signup_at),
    first_purchase_date: isoTimeOrNull(customer.first_purchase_at),
    created_at: isoTime(customer.created_at),
  };
}
