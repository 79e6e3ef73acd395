import { z } from 'zod';
import { integer, MAX_AMOUNT_CENTS, rowId } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';
import { createPolicyRequest } from './management.ts';
import { trackSaleRequest } from './tracking.ts';

const MAX_DAYS_SINCE_CLICK = 3650;

const { currency: saleCurrency, product_id, line_items, tax_cents, shipping_cents } = trackSaleRequest.shape;

/** Body of `POST …/commission-policies/simulate`. */
export const simulateCommissionRequest = strictFields({
  amount_cents: integer('amount_cents', 0, MAX_AMOUNT_CENTS).describe(
    'Amount of the sale, in the smallest unit of its currency.',
  ),
  days_since_click: integer('days_since_click', 0, MAX_DAYS_SINCE_CLICK).describe(
    'Days from the last click on a link of the partner to the sale.',
  ),
  window_days: integer('window_days', 1, 365)
    .describe('Attribution window to try, in days. Defaults to the window of the program.')
    .optional(),
  currency: saleCurrency,
  product_id,
  partner_id: rowId('partner_id')
    .describe('Id of the partner. Defaults to a partner without policies of its own.')
    .optional(),
  is_recurring: z
    .boolean({ error: 'is_recurring must be a boolean' })
    .describe('Whether the sale renews a subscription whose first payment was made on the day of the click.')
    .optional(),
  line_items,
  tax_cents,
  shipping_cents,
  draft: createPolicyRequest
    .describe(
      'A policy that is not stored. In the simulation, it replaces the policy with the same product and partner.',
    )
    .optional(),
});

export type SimulateCommissionRequest = z.input<typeof simulateCommissionRequest>;
