import type { PortalCommission, Trace, TraceStep } from '../../api/types.ts';
import { numberIn, textIn } from '../../pages/why/trace.ts';

/** The steps of a customer's trace that explain one commission. */
export interface CommissionStory {
  readonly sale: TraceStep | undefined;
  readonly verdict: TraceStep | undefined;
  /** Every step that led to the commission or changed it, in order. */
  readonly steps: readonly TraceStep[];
  readonly ledger: readonly TraceStep[];
}

/** The kinds of steps that are about the customer, and not about one of the customer's sales. */
const CUSTOMER_STEPS: readonly TraceStep['step'][] = ['click', 'lead', 'note', 'missing', 'webhook'];

/**
 * Finds the steps of a commission in the trace of its customer, who may have bought more than once. A
 * partner's trace has no ids of sales, so the sale is found by its time.
 */
export function storyOf(
  { steps }: Pick<Trace, 'steps'>,
  { id, commission_date, payout_id }: Pick<PortalCommission, 'id' | 'commission_date' | 'payout_id'>,
): CommissionStory {
  const verdict = steps.find(({ step, detail }) => step === 'commission' && numberIn(detail, 'id') === id);
  const before = verdict ? steps.slice(0, steps.indexOf(verdict)) : [];
  const sales = before.filter(({ step }) => step === 'sale');
  const sale =
    sales.findLast(({ detail }) => textIn(detail, 'sale_date') === commission_date) ?? sales.at(-1);
  const isOfCommission = ({ step, detail }: TraceStep) =>
    numberIn(detail, 'commission_id') === id ||
    (step === 'payout' && payout_id !== null && numberIn(detail, 'id') === payout_id);
  const related = steps.filter(
    (step) => step === verdict || step === sale || isOfCommission(step) || CUSTOMER_STEPS.includes(step.step),
  );
  return {
    sale,
    verdict,
    steps: related.filter(({ step }) => step !== 'ledger'),
    ledger: related.filter(({ step }) => step === 'ledger'),
  };
}
