import { z } from 'zod';
import { amount, count, currency, rowId } from './envelope.ts';
import { policyRow } from './management.ts';

const policyId = rowId.nullable().describe('Id of the policy; null for the draft.');
const versionId = rowId.nullable().describe('Id of the version of the policy; null for the draft.');

/** The commission that a sale would earn, with the same explanations as in the trace. */
export const simulationRow = z.object({
  earns: z.boolean().describe('Whether the sale earns a commission.'),
  reason: z
    .enum([
      'policy_applied',
      'renewal_of_subscription',
      'window_expired',
      'recurring_ended',
      'below_min_sale',
      'zero_amount',
      'no_partner_program',
    ])
    .describe('Stable code of the reason, as in the trace.'),
  why: z.string().describe('The rule behind the decision, as in the trace.'),
  amount_cents: amount.describe(
    'Commission, in the smallest unit of the currency. 0 if the sale earns no commission.',
  ),
  currency,
  base_cents: count.describe('Amount that a percent commission is computed from.'),
  days_since_click: count,
  window_days: count.describe(
    'Attribution window in days: `window_days` of the request, or else the window of the program.',
  ),
  recurring_months: count
    .nullable()
    .describe('Number of months in which renewals earn with the chosen policy. Null means no limit.'),
  parts: z
    .array(
      z.object({
        policy_version_id: versionId,
        product_ids: z.array(z.string().nullable()),
        base_cents: count,
        amount_cents: count,
      }),
    )
    .describe('One part per policy if several policies cover the sale.'),
  candidates: z
    .array(
      z.object({
        policy_id: policyId,
        version: policyRow.shape.version.nullable(),
        policy_version_id: versionId,
        product_id: policyRow.shape.product_id,
        partner_id: policyRow.shape.partner_id,
        type: policyRow.shape.type,
        rate_bps: count.nullable().describe('Percentage in basis points: 2000 is 20%.'),
        amount_cents: count
          .nullable()
          .describe("Flat amount, in the smallest unit of the program's currency."),
        recurring_months: policyRow.shape.recurring_months,
        is_draft: z.boolean().describe('Whether this is the draft of the request.'),
        verdict: z
          .enum(['chosen', 'less_specific', 'other_product', 'other_partner', 'replaced'])
          .describe(
            'Why the policy was or was not chosen. `replaced`: the draft is used instead of this policy.',
          ),
      }),
    )
    .describe(
      'Every policy that the simulation considered. Empty if the decision did not depend on a policy.',
    ),
});
