import { addUtcMonths, DAY_MS, isoDate, isoTime, utcDay } from '../../domain/calendar.ts';
import { findLongestTerms, type PolicyCandidate } from '../../domain/commission.ts';
import { listSoldProducts } from '../../domain/commission-parts.ts';
import {
  explainAmount,
  explainEarlierSale,
  explainExpiredWindow,
  explainMinimum,
  explainPolicy,
  explainRecurringEnd,
  explainRenewal,
  explainWindow,
  isSharedPolicy,
  ZERO_AMOUNT_WHY,
} from '../../domain/commission-reasons.ts';
import { toMajorUnits } from '../../domain/money.ts';
import { readSaleLines, weighLines } from '../../domain/sale-lines.ts';
import { type FirstCommission, readParts } from '../../storage/money/commissions.ts';
import type { EventTimeline } from '../../storage/reads/timeline.ts';
import type { MoneyTimeline, PolicyVersion } from '../../storage/reads/timeline-money.ts';
import type { PolicyHistory } from './policy-candidates.ts';
import type { TraceStep } from './trace-step.ts';

type TracedSale = EventTimeline['sales'][number];
type TracedCommission = MoneyTimeline['commissions'][number];

/** The data that determined whether sales earned a commission. */
export interface CommissionFacts {
  readonly clicks: EventTimeline['clicks'];
  readonly notes: EventTimeline['notes'];
  readonly commissions: readonly TracedCommission[];
  readonly owed: MoneyTimeline['owed'];
  readonly policies: readonly PolicyVersion[];
  readonly policyHistory: PolicyHistory;
  readonly programCurrency: string;
  /**
   * For each renewal after the recurring period, the first commission of its subscription. The key is the
   * sale id of the renewal.
   */
  readonly firstOfEnded: ReadonlyMap<number, FirstCommission>;
}

/**
 * Returns the step that explains why a sale earned its commission, earned no commission, or has no commission
 * yet.
 */
export function decisionSteps(sale: TracedSale, facts: CommissionFacts): TraceStep[] {
  const commission = facts.commissions.find((row) => row.sale_id === sale.id);
  if (commission) return [commissionStep(sale, commission, facts)];
  if (sale.no_commission_reason === 'window_expired') return [windowStep(sale, facts)];
  if (sale.no_commission_reason === 'recurring_ended') return [endedStep(sale, facts)];
  if (sale.no_commission_reason === 'below_min_sale') return [minimumStep(sale)];
  if (sale.no_commission_reason === 'zero_amount') return [zeroStep(sale)];
  const owed = facts.owed.find((row) => row.subject_id === sale.id);
  if (!owed) return [];
  return [
    {
      order: sale.created_at,
      step: 'missing',
      reason: 'commission_still_owed',
      why: 'The commission has not been created yet. A repair job keeps trying to create it.',
      detail: { sale_id: sale.id, attempts: owed.attempts, next_try_at: isoTime(owed.run_at) },
    },
  ];
}

function commissionStep(sale: TracedSale, commission: TracedCommission, facts: CommissionFacts): TraceStep {
  const { amount_cents, currency } = commission;
  const parts = readParts(commission.parts);
  const isNet = sale.base_cents !== null && sale.base_cents < sale.amount_cents;
  const earned = explainAmount({
    amountCents: amount_cents,
    currency,
    hasParts: parts.length > 0,
    isNet,
  });
  const wasRecognizedLater = facts.notes.some(
    ({ reason, sale_id }) => reason === 'renewal_recognized_later' && sale_id === sale.id,
  );
  const repaired =
    commission.created_at > sale.created_at && !wasRecognizedLater
      ? ' It could not be stored together with the sale, so a repair job created it later.'
      : '';
  const isImported = facts.notes.some(
    ({ reason, sale_id }) => reason === 'sale_imported' && sale_id === sale.id,
  );
  const rule = isImported
    ? IMPORTED_RULE
    : commission.first_commission_id === null
      ? policyRule(sale, commission, facts)
      : renewalRule(sale, commission, facts);
  return {
    order: commission.created_at,
    step: 'commission',
    reason: rule.reason,
    why: `${rule.why} ${earned}${repaired}`,
    detail: {
      id: commission.id,
      sale_id: commission.sale_id,
      policy_version_id: commission.policy_version_id,
      amount_cents,
      base_cents: sale.base_cents,
      tax_cents: sale.tax_cents,
      shipping_cents: sale.shipping_cents,
      parts: parts.map((part) => ({
        policy_version_id: part.policyVersionId,
        product_ids: part.productIds,
        base_cents: part.baseCents,
        amount_cents: part.amountCents,
      })),
      deducted_cents: commission.deducted_cents,
      adjusted_cents: commission.adjusted_cents,
      currency,
      amount: toMajorUnits(amount_cents, currency),
      status: commission.status,
      releasable_at: isoTime(commission.releasable_at),
      repaired: repaired !== '',
      ...rule.detail,
    },
  };
}

interface AppliedRule {
  readonly reason: string;
  readonly why: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const IMPORTED_RULE: AppliedRule = {
  reason: 'commission_imported',
  why: 'The commission was imported from another affiliate service with the amount that it had there. No policy of the program was applied.',
  detail: {},
};

function policyRule(sale: TracedSale, commission: TracedCommission, facts: CommissionFacts): AppliedRule {
  const last = lastOwnClick(sale, facts.clicks);
  // A sale can be reported some time after it happened, so the last click can be later than the sale.
  const isEarlier = last !== null && sale.sale_at < last;
  const days = isEarlier ? null : daysSinceClick(sale, facts.clicks, Math.floor);
  const productIds = listProductIds(sale);
  const { chosen, active, lessSpecific, candidates } = facts.policyHistory.judge({
    recordedAt: sale.created_at,
    productIds,
    partnerId: commission.partner_id,
    chosenIds: policyVersionsOf(commission),
  });
  const { currency } = sale;
  const target = { productIds, partnerId: commission.partner_id, currency };
  const isShared = chosen !== undefined && isSharedPolicy(chosen, active, target, facts.programCurrency);
  const policy =
    chosen && commission.parts === null
      ? ` ${explainPolicy(chosen, commission.currency, lessSpecific, isShared)}`
      : '';
  return {
    reason: 'policy_applied',
    why: `${isEarlier ? explainEarlierSale() : explainWindow(days)}${policy}`,
    detail: {
      days_since_click: days,
      window_days: sale.window_days,
      candidates,
    },
  };
}

/** Lists the products for which the policies of a sale were chosen. A sale without products has a single null. */
function listProductIds({ product_id: productId, line_items: lineItems }: TracedSale): (string | null)[] {
  if (productId !== null) return [productId];
  const lines = readSaleLines(JSON.parse(lineItems ?? '[]'));
  return listSoldProducts(weighLines('total', lines)).map((product) => product.productId);
}

/** Returns the policy versions that the commission was computed with. */
function policyVersionsOf(commission: TracedCommission): number[] {
  const parts = readParts(commission.parts).map((part) => part.policyVersionId);
  return parts.length > 0 ? parts : [commission.policy_version_id];
}

function renewalRule(
  sale: TracedSale,
  commission: TracedCommission,
  { commissions, policies }: CommissionFacts,
): AppliedRule {
  const first = commissions.find((row) => row.id === commission.first_commission_id);
  const terms = policies.find((policy) => policy.versionId === commission.policy_version_id);
  return {
    reason: 'renewal_of_subscription',
    why: explainRenewal(terms?.recurringMonths ?? null),
    detail: {
      first_commission_id: commission.first_commission_id,
      ...periodDetail(first?.commission_at, terms),
      sale_date: isoTime(sale.sale_at),
    },
  };
}

function endedStep(sale: TracedSale, { firstOfEnded }: CommissionFacts): TraceStep {
  const first = firstOfEnded.get(sale.id);
  // The products may have different terms. The period of the sale is over when the longest of their periods is over.
  const terms = first && findLongestTerms(listProductIds(sale).map(first.termsOf));
  return {
    order: sale.created_at,
    step: 'no_commission',
    reason: 'recurring_ended',
    why: explainRecurringEnd(terms?.recurringMonths ?? null),
    detail: {
      sale_id: sale.id,
      first_commission_id: first?.id ?? null,
      ...periodDetail(first?.commissionAt, terms),
      sale_date: isoTime(sale.sale_at),
    },
  };
}

function periodDetail(firstAt: number | undefined, terms: PolicyCandidate | undefined) {
  const months = terms?.recurringMonths ?? null;
  const isLimited = firstAt !== undefined && months !== null && months > 0;
  return {
    policy_version_id: terms?.versionId ?? null,
    recurring_months: months,
    first_commission_date: firstAt === undefined ? null : isoTime(firstAt),
    earns_through: isLimited ? isoDate(utcDay(addUtcMonths(firstAt, months))) : null,
  };
}

function windowStep(sale: TracedSale, { clicks }: CommissionFacts): TraceStep {
  const days = daysSinceClick(sale, clicks, Math.ceil);
  const last = lastOwnClick(sale, clicks);
  return {
    order: sale.created_at,
    step: 'no_commission',
    reason: 'window_expired',
    why: explainExpiredWindow(days, sale.window_days),
    detail: {
      sale_id: sale.id,
      last_click_at: last === null ? null : isoTime(last),
      days_since_click: days,
      window_days: sale.window_days,
      sale_date: isoTime(sale.sale_at),
    },
  };
}

function minimumStep(sale: TracedSale): TraceStep {
  return {
    order: sale.created_at,
    step: 'no_commission',
    reason: 'below_min_sale',
    why: explainMinimum(sale.min_sale_cents ?? 0, sale.currency),
    detail: {
      sale_id: sale.id,
      amount_cents: sale.amount_cents,
      min_sale_cents: sale.min_sale_cents,
      currency: sale.currency,
      sale_date: isoTime(sale.sale_at),
    },
  };
}

function zeroStep(sale: TracedSale): TraceStep {
  return {
    order: sale.created_at,
    step: 'no_commission',
    reason: 'zero_amount',
    why: ZERO_AMOUNT_WHY,
    detail: { sale_id: sale.id, amount_cents: 0, sale_date: isoTime(sale.sale_at) },
  };
}

/**
 * Returns the time of the customer's last click on a link of the sale's partner. Clicks that were stored after
 * the sale was recorded are ignored.
 */
function lastOwnClick(sale: TracedSale, clicks: EventTimeline['clicks']): number | null {
  const partnerClicks = clicks.filter(
    (click) => click.partner_id === sale.partner_id && click.created_at <= sale.created_at,
  );
  return partnerClicks.length === 0 ? null : Math.max(...partnerClicks.map((click) => click.click_at));
}

/**
 * Returns the days from the last click to the sale, with two decimals.
 * @param round must round down for a sale within the window, and up for a late sale. Otherwise, a sale shortly after the
 * end of the window would have the same number of days as the window
 */
function daysSinceClick(
  sale: TracedSale,
  clicks: EventTimeline['clicks'],
  round: (hundredths: number) => number,
): number | null {
  const last = lastOwnClick(sale, clicks);
  return last === null ? null : Math.max(0, round(((sale.sale_at - last) * 100) / DAY_MS) / 100);
}
