import { createPolicyRequest, policiesQuery, updatePolicyRequest } from '@affkit/protocol';
import { isoTime } from '../domain/calendar.ts';
import { changePolicy, createPolicy, deletePolicy, isDefaultPolicy } from '../management/policies.ts';
import { isRejection } from '../rejection.ts';
import type { Policy } from '../storage/money/policies.ts';
import { withPartnerNames } from '../storage/programs/partners.ts';
import { listPolicies } from '../storage/reads/policy-list.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithItem, route } from './route.ts';

const POLICIES_PATH = '/api/advertiser/affiliate-programs/:id/commission-policies';

export const policyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: POLICIES_PATH,
    access: { kind: 'management', scope: 'policy:list', program: true },
    query: policiesQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const { policies, total } = await listPolicies(runtime.engine, program.id, query, rowRangeOf(query));
      const data = await withPartnerNames(runtime.engine.read, policies.map(toPolicyReply));
      return replyWithList(data, query, total);
    },
  }),
  route({
    method: 'POST',
    path: POLICIES_PATH,
    access: { kind: 'management', scope: 'policy:create', program: true },
    body: createPolicyRequest,
    handle: async (runtime, { caller: { program }, body }) =>
      replyWithItem(await createPolicy(runtime, program, body), toPolicyReply, 201),
  }),
  route({
    method: 'PUT',
    path: `${POLICIES_PATH}/:policyId`,
    access: { kind: 'management', scope: 'policy:update', program: true },
    body: updatePolicyRequest,
    handle: async (runtime, { caller: { program }, params, body }) =>
      replyWithItem(await changePolicy(runtime, program, params.policyId, body), toPolicyReply),
  }),
  route({
    method: 'DELETE',
    path: `${POLICIES_PATH}/:policyId`,
    access: { kind: 'management', scope: 'policy:delete', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const deleted = await deletePolicy(runtime, program, params.policyId);
      return isRejection(deleted) ? deleted : { body: { success: true } };
    },
  }),
];

function toPolicyReply(policy: Policy) {
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
