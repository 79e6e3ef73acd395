import { createPolicyRequest, updatePolicyRequest } from '@affkit/protocol';
import { isoTime } from '../domain/calendar.ts';
import { changePolicy, createPolicy, deletePolicy, isDefaultPolicy } from '../management/policies.ts';
import { isRejection } from '../rejection.ts';
import { listPolicies, type Policy } from '../storage/money/policies.ts';
import { readRowId } from './fields.ts';
import { listAnswer, readPage } from './pagination.ts';
import { parseBody } from './parse.ts';
import { itemAnswer, type Route, route } from './route.ts';

const PATH = '/api/advertiser/affiliate-programs/:id/commission-policies';

export const policyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    access: { kind: 'management', scope: 'policy:list', program: true },
    handle: async (runtime, { caller: { program }, request }) => {
      const page = readPage(request.query);
      if (isRejection(page)) return page;
      const { policies, total } = await listPolicies(runtime.engine.read, program.id, page);
      return listAnswer(policies.map(policyRow), page, total);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    access: { kind: 'management', scope: 'policy:create', program: true },
    handle: async (runtime, { caller: { program }, body }) => {
      const input = parseBody(createPolicyRequest, body);
      if (isRejection(input)) return input;
      const policy = await createPolicy(runtime, program, input);
      return isRejection(policy) ? policy : { status: 201, body: { success: true, data: policyRow(policy) } };
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/:policyId`,
    access: { kind: 'management', scope: 'policy:update', program: true },
    nullable: ['recurring_months'],
    handle: async (runtime, { caller: { program }, params, body }) => {
      const policyId = readRowId(params['policyId']);
      if (isRejection(policyId)) return policyId;
      const input = parseBody(updatePolicyRequest, body);
      if (isRejection(input)) return input;
      return itemAnswer(await changePolicy(runtime, program, policyId, input), policyRow);
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:policyId`,
    access: { kind: 'management', scope: 'policy:delete', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const policyId = readRowId(params['policyId']);
      if (isRejection(policyId)) return policyId;
      const deleted = await deletePolicy(runtime, program, policyId);
      return isRejection(deleted) ? deleted : { body: { success: true } };
    },
  }),
];

function policyRow(policy: Policy) {
  return {
    id: policy.id,
    type: policy.type,
    ...(policy.rateBps === null ? { amount_cents: policy.amountCents } : { rate: policy.rateBps / 100 }),
    product_id: policy.productId,
    partner_id: policy.partnerId,
    recurring_months: policy.recurringMonths,
    is_default: isDefaultPolicy(policy),
    version: policy.version,
    created_at: isoTime(policy.createdAt),
  };
}
