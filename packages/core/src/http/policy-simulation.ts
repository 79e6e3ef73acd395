import { simulateCommissionRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { toPolicyTerms } from '../management/policies.ts';
import { toCandidate } from '../reporting/trace/policy-candidates.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import {
  type DraftPolicy,
  type Simulation,
  simulateCommission,
  withoutDraftId,
} from '../tracking/simulate-commission.ts';
import { type Route, replyWithItem, route } from './route.ts';

type SimulationInput = z.output<typeof simulateCommissionRequest>;

export const policySimulationRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/advertiser/affiliate-programs/:id/commission-policies/simulate',
    access: { kind: 'management', scope: 'policy:list', program: true },
    body: simulateCommissionRequest,
    handle: async (runtime, { caller: { program }, body }) => {
      const { draft, window_days: cookieWindowDays = program.cookieWindowDays, ...sale } = body;
      const tried = { ...program, cookieWindowDays };
      const simulation = await simulateCommission(runtime, tried, sale, draft ? toDraft(draft) : null);
      return replyWithItem(simulation, (result) => toSimulationReply(tried, body, result));
    },
  }),
];

function toDraft(draft: NonNullable<SimulationInput['draft']>): DraftPolicy {
  return {
    ...toPolicyTerms(draft),
    productId: draft.product_id ?? null,
    partnerId: draft.partner_id ?? null,
  };
}

function toSimulationReply(program: ProgramAccount, input: SimulationInput, simulation: Simulation) {
  const { plan, basis, policies } = simulation;
  return {
    earns: plan !== null,
    reason: simulation.reason,
    why: simulation.why,
    amount_cents: plan?.amountCents ?? 0,
    currency: basis.currency,
    base_cents: basis.baseCents,
    days_since_click: input.days_since_click,
    window_days: program.cookieWindowDays,
    recurring_months: simulation.recurringMonths,
    parts: (plan?.parts ?? []).map((part) => ({
      policy_version_id: withoutDraftId(part.policyVersionId),
      product_ids: part.productIds,
      base_cents: part.baseCents,
      amount_cents: part.amountCents,
    })),
    candidates: policies.map((policy) => ({
      ...toCandidate(policy, policy.verdict),
      is_draft: policy.versionId === null,
    })),
  };
}
