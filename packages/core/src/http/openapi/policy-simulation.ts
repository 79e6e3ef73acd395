import { itemReply, simulationRow } from '@affkit/protocol';
import { body, type Descriptions, reply } from './description.ts';

const exampleTerms = {
  type: 'percent' as const,
  amount_cents: null,
  recurring_months: null,
  product_id: null,
};

export const policySimulationDescriptions: Descriptions = {
  'POST /api/advertiser/affiliate-programs/:id/commission-policies/simulate': {
    id: 'simulateCommission',
    tag: 'Commissions',
    summary: 'Compute the commission of a hypothetical sale',
    description:
      'Applies the same rules as to a real sale, and explains the result as the trace does. Nothing is stored.',
    body: body('CommissionSimulation', {
      'With the current policies': { amount_cents: 1999, days_since_click: 3, partner_id: 1 },
      'With a longer attribution window': { amount_cents: 1999, days_since_click: 75, window_days: 90 },
      'With another policy for the partner': {
        amount_cents: 1999,
        days_since_click: 3,
        partner_id: 1,
        draft: { type: 'percent', rate: 30, partner_id: 1 },
      },
    }),
    replies: {
      200: reply('The commission, or why there is none.', itemReply(simulationRow), {
        'The draft applies': {
          success: true,
          data: {
            earns: true,
            reason: 'policy_applied',
            why: 'The sale was made 3 days after the last click on this partner’s link, within the attribution window. The policy for this partner (30%) applied, because it is more specific than the other policy that matches the sale. The commission is 6.00 USD.',
            amount_cents: 600,
            currency: 'USD',
            base_cents: 1999,
            days_since_click: 3,
            window_days: 60,
            recurring_months: null,
            parts: [],
            candidates: [
              {
                ...exampleTerms,
                policy_id: 1,
                version: 1,
                policy_version_id: 1,
                partner_id: null,
                rate_bps: 2000,
                is_draft: false,
                verdict: 'less_specific',
              },
              {
                ...exampleTerms,
                policy_id: null,
                version: null,
                policy_version_id: null,
                partner_id: 1,
                rate_bps: 3000,
                is_draft: true,
                verdict: 'chosen',
              },
            ],
          },
        },
      }),
    },
  },
};
