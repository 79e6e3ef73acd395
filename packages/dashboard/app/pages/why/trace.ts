import type { Trace, TraceStep } from '../../api/types.ts';
import type { Candidate } from '../../ui/candidates.tsx';
import { netCentsOf } from '../../ui/net-sums.ts';

type StepDetail = TraceStep['detail'];

/** A sale, and the decision about its commission. */
export interface SaleDecision {
  readonly saleId: number;
  readonly sale: TraceStep;
  readonly transactionId: string | null;
  readonly amountCents: number;
  readonly currency: string;
  /** The step of kind `commission`, `no_commission` or `missing`. Undefined while there is no decision. */
  readonly verdict: TraceStep | undefined;
  /** All other steps about the sale or its commission, in order. */
  readonly later: readonly TraceStep[];
  readonly ledger: readonly TraceStep[];
}

export function numberIn(detail: StepDetail, name: string): number | null {
  const value = detail[name];
  return typeof value === 'number' ? value : null;
}

export function textIn(detail: StepDetail, name: string): string | null {
  const value = detail[name];
  return typeof value === 'string' ? value : null;
}

/** Returns the time of the event. `at` is the time when the event was recorded, which may be later. */
export function happenedAt({ at, detail }: TraceStep): string {
  return textIn(detail, 'click_date') ?? textIn(detail, 'lead_date') ?? textIn(detail, 'sale_date') ?? at;
}

/** Returns the policies that a decision considered. */
export function candidatesOf(step: TraceStep): readonly Candidate[] {
  const { candidates } = step.detail;
  // The cast is safe because the API documents this shape.
  return Array.isArray(candidates) ? (candidates as Candidate[]) : [];
}

const VERDICTS: readonly TraceStep['step'][] = ['commission', 'no_commission', 'missing'];

/** Returns the decisions about the customer's sales, one per sale, latest sale first. */
export function decisionsOf({ steps }: Trace): readonly SaleDecision[] {
  const sales = steps.filter(({ step }) => step === 'sale');
  return sales
    .map((sale) => {
      const saleId = numberIn(sale.detail, 'id') ?? 0;
      const verdict = steps.find(
        ({ step, detail }) => VERDICTS.includes(step) && numberIn(detail, 'sale_id') === saleId,
      );
      const commissionId = verdict ? numberIn(verdict.detail, 'id') : null;
      const related = steps.filter(
        (step) =>
          step !== verdict &&
          step !== sale &&
          (numberIn(step.detail, 'sale_id') === saleId ||
            (commissionId !== null && isAbout(step, commissionId))),
      );
      return {
        saleId,
        sale,
        transactionId: textIn(sale.detail, 'transaction_id'),
        amountCents: numberIn(sale.detail, 'amount_cents') ?? 0,
        currency: textIn(sale.detail, 'currency') ?? 'USD',
        verdict,
        later: related.filter(({ step }) => step !== 'ledger'),
        ledger: related.filter(({ step }) => step === 'ledger'),
      };
    })
    .reverse();
}

function isAbout({ step, detail }: TraceStep, commissionId: number): boolean {
  if (numberIn(detail, 'commission_id') === commissionId) return true;
  return (step === 'approval' || step === 'rejection') && numberIn(detail, 'id') === commissionId;
}

/**
 * Returns the latest change after the decision, such as a refund or a dispute. Skips webhooks, because the effect of a
 * webhook has a step of its own: a refund or a note.
 */
export function latestChangeOf({ later }: SaleDecision): TraceStep | undefined {
  return later.findLast(({ step }) => step !== 'webhook');
}

/**
 * Returns the total deduction of several refunds, because `latestChangeOf` returns only one of them. Returns 0
 * if there are fewer than two refunds, or if the commission was rejected.
 */
export function deductedBySeveral({ verdict, later }: SaleDecision): number {
  const refunds = later.filter(({ step }) => step === 'refund');
  if (verdict === undefined || refunds.length < 2 || textIn(verdict.detail, 'status') === 'rejected')
    return 0;
  return numberIn(verdict.detail, 'deducted_cents') ?? 0;
}

/** Returns the current value of a commission, after refunds and adjustments. */
export function netCents({ detail }: TraceStep): number {
  return netCentsOf({
    status: textIn(detail, 'status'),
    amount_cents: numberIn(detail, 'amount_cents') ?? 0,
    deducted_cents: numberIn(detail, 'deducted_cents') ?? 0,
    adjusted_cents: numberIn(detail, 'adjusted_cents') ?? 0,
  });
}

/** Returns the amount by which a ledger entry changes the partner's balance. */
export function entryCents({ detail }: TraceStep): number {
  const cents = numberIn(detail, 'amount_cents') ?? 0;
  return textIn(detail, 'debit_account') === 'partner_payable' ? -cents : cents;
}

/**
 * Rounds the days to whole days, as the simulator requires. A sale inside the window stays inside, and a late
 * sale stays late.
 */
export function simulatedDays(days: number, windowDays: number): number {
  return days <= windowDays ? Math.floor(days) : Math.ceil(days);
}

/** The longest attribution window that the API accepts. */
const MAX_WINDOW_DAYS = 365;

/** When the page is reloaded, a server could reject a longer URL. */
const MAX_PRODUCTS_LENGTH = 2000;

/** The most days that the simulator accepts. */
const MAX_DAYS = 3650;

const DAY_MS = 86_400_000;

/**
 * Returns the days from the first payment of a subscription to a renewal. The simulator counts these days back
 * from today. The earning period is a number of months, which differ in length. The days are therefore adjusted:
 * a renewal in the earning period stays in the period, and a later renewal stays after it.
 */
function renewalDays({ reason, detail }: TraceStep): number {
  const months = numberIn(detail, 'recurring_months') ?? Number.POSITIVE_INFINITY;
  const times = [textIn(detail, 'first_commission_date'), textIn(detail, 'sale_date')];
  const [first = 0, renewal = 0] = times.map((time) => Date.parse(time ?? ''));
  const days = Math.max(0, Math.floor((renewal - first) / DAY_MS)) || 0;
  return Math.min(
    MAX_DAYS,
    reason === 'recurring_ended' ? Math.max(days, 31 * months + 1) : Math.min(days, 28 * months),
  );
}

/**
 * Returns the query that opens the simulator with the sale of a decision. If the sale came after the attribution
 * window, no policy applies to it. The query then contains the shortest window that includes the sale, or the
 * longest window that the API accepts.
 */
export function simulatorQuery(decision: SaleDecision, partnerId: number | null): URLSearchParams {
  const { sale, verdict, amountCents, currency } = decision;
  const isRenewal = verdict?.reason === 'renewal_of_subscription' || verdict?.reason === 'recurring_ended';
  const days = (verdict && numberIn(verdict.detail, 'days_since_click')) ?? 0;
  const windowDays = (verdict && numberIn(verdict.detail, 'window_days')) ?? days;
  const wholeDays = isRenewal ? renewalDays(verdict) : simulatedDays(days, windowDays);
  const productId = textIn(sale.detail, 'product_id');
  const { products } = sale.detail;
  const policy = verdict && candidatesOf(verdict).find((candidate) => candidate.verdict === 'chosen');
  const lines = Array.isArray(products) && products.length > 0 ? JSON.stringify(products) : '';
  return new URLSearchParams({
    amount: String(amountCents),
    currency,
    tax: String(numberIn(sale.detail, 'tax_cents') ?? 0),
    shipping: String(numberIn(sale.detail, 'shipping_cents') ?? 0),
    days: String(wholeDays),
    ...(isRenewal && { renewal: '1' }),
    ...(isTooLate(decision) && { window_days: String(Math.min(wholeDays, MAX_WINDOW_DAYS)) }),
    ...(productId !== null && { product_id: productId }),
    ...(lines !== '' && { products: lines.length > MAX_PRODUCTS_LENGTH ? 'too_many' : lines }),
    ...(partnerId !== null && { partner_id: String(partnerId) }),
    // The simulated policy replaces the saved policy with the same product and partner.
    ...(policy?.product_id && { policy_product_id: policy.product_id }),
    ...(policy?.partner_id && { policy_partner_id: String(policy.partner_id) }),
  });
}

/** Whether the sale earned no commission because it is below the minimum of the program. */
export function isBelowMinimum({ verdict }: SaleDecision): boolean {
  return verdict?.reason === 'below_min_sale';
}

/** Whether the sale earned no commission because the attribution window had ended. */
export function isTooLate({ verdict }: SaleDecision): boolean {
  return verdict?.reason === 'window_expired';
}

/** A query for a trace. Exactly one field is set. */
export interface TraceSearch {
  readonly commission_id?: string;
  readonly click_id?: string;
  readonly transaction_id?: string;
  readonly customer_key?: string;
}

/**
 * Returns the decision about the sale that the query names, or undefined if it is unknown which decision is about that
 * sale. A query that names only a customer returns the decision about the latest sale.
 */
export function decisionOf(
  decisions: readonly SaleDecision[],
  { commission_id, transaction_id }: TraceSearch,
): SaleDecision | undefined {
  if (commission_id !== undefined) {
    return decisions.find(
      ({ verdict }) =>
        verdict?.step === 'commission' && numberIn(verdict.detail, 'id') === Number(commission_id),
    );
  }
  if (transaction_id === undefined) return decisions[0];
  return decisions.find(({ transactionId }) => transactionId === transaction_id);
}

/** Returns the trace queries that may match a search text, in the order in which to try them. */
export function traceQueries(text: string): readonly TraceSearch[] {
  const [, commissionId] = /^#(\d+)$/.exec(text) ?? [];
  return [
    ...(text.startsWith('clk_') ? [{ click_id: text }] : []),
    { transaction_id: text },
    { customer_key: text },
    // A number such as #1001 may be the id of a commission or of an order of the shop. The order comes first.
    ...(commissionId === undefined ? [] : [{ commission_id: commissionId }]),
  ];
}
