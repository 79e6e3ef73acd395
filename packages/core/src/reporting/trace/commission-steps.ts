import { addUtcMonths, DAY_MS, isoDate, isoTime, utcDay } from '../../domain/calendar.ts';
import { choosePolicy, type PolicyCandidate } from '../../domain/commission.ts';
import { toMajorUnits } from '../../domain/money.ts';
import type { FirstCommission } from '../../storage/money/commissions.ts';
import type { EventTimeline } from '../../storage/reads/timeline.ts';
import type { MoneyTimeline, PolicyVersion } from '../../storage/reads/timeline-money.ts';
import type { Step } from './trace-step.ts';

type Sale = EventTimeline['sales'][number];
type Commission = MoneyTimeline['commissions'][number];

/** What decides on a sale's commission. */
export interface Deciders {
  readonly clicks: EventTimeline['clicks'];
  readonly commissions: readonly Commission[];
  readonly owed: MoneyTimeline['owed'];
  readonly policies: readonly PolicyVersion[];
  /** By the sale whose subscription earns no more. */
  readonly firstOfEnded: ReadonlyMap<number, FirstCommission>;
}

/** Why the sale earned what it did, or nothing, or nothing yet. */
export function decisionSteps(sale: Sale, deciders: Deciders): Step[] {
  const commission = deciders.commissions.find((row) => row.sale_id === sale.id);
  if (commission) return [commissionStep(sale, commission, deciders)];
  if (sale.no_commission_reason === 'window_expired') return [windowStep(sale, deciders)];
  if (sale.no_commission_reason === 'recurring_ended') return [endedStep(sale, deciders)];
  const owed = deciders.owed.find((row) => row.subject_id === sale.id);
  if (!owed) return [];
  return [
    {
      order: sale.created_at,
      step: 'missing',
      reason: 'commission_still_owed',
      why: 'The commission is still to be made; the repair job goes on trying.',
      detail: { sale_id: sale.id, attempts: owed.attempts, next_try_at: isoTime(owed.run_at) },
    },
  ];
}

function commissionStep(sale: Sale, commission: Commission, deciders: Deciders): Step {
  const { amount_cents, currency } = commission;
  const earned = `The commission is ${toMajorUnits(amount_cents, currency)} ${currency}.`;
  const repaired =
    commission.created_at > sale.created_at
      ? ' It could not be stored with the sale and was made later by the repair job.'
      : '';
  const rule =
    commission.first_commission_id === null
      ? policyRule(sale, commission, deciders)
      : renewalRule(sale, commission, deciders);
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

interface Rule {
  readonly reason: string;
  readonly why: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

function policyRule(sale: Sale, commission: Commission, deciders: Deciders): Rule {
  const days = daysSinceClick(sale, deciders.clicks);
  const inWindow = `The sale came ${describeDays(days)} after the last click by this partner’s link, within the window.`;
  const candidates = candidatesAt(sale, commission, deciders.policies);
  const chosen = candidates.find(({ verdict }) => verdict === 'chosen');
  const fitting = candidates.filter(({ verdict }) => verdict === 'chosen' || verdict === 'less_specific');
  const others = fitting.length - 1;
  const choice =
    others > 0
      ? `more specific than the ${others === 1 ? 'other one' : `${others} others`} that fitted`
      : 'the only one that fitted';
  const policy = chosen
    ? ` The policy ${describeTarget(chosen.policy)} (${describeTerms(chosen.policy, commission.currency)}) was chosen, ${choice}.`
    : '';
  return {
    reason: 'policy_applied',
    why: `${inWindow}${policy}`,
    detail: {
      days_since_click: days,
      window_days: sale.window_days,
      candidates: candidates.map(({ policy: { policyId, version, versionId, ...terms }, verdict }) => ({
        policy_id: policyId,
        version,
        policy_version_id: versionId,
        product_id: terms.productId,
        partner_id: terms.partnerId,
        type: terms.type,
        rate_bps: terms.rateBps,
        amount_cents: terms.amountCents,
        recurring_months: terms.recurringMonths,
        verdict,
      })),
    },
  };
}

type Verdict = 'chosen' | 'less_specific' | 'other_product' | 'other_partner';

/** The policies in force when the sale was recorded, and what became of each. */
function candidatesAt(
  sale: Sale,
  commission: Commission,
  policies: readonly PolicyVersion[],
): { readonly policy: PolicyVersion; readonly verdict: Verdict }[] {
  const at = sale.created_at;
  const inForce = policies.filter(
    (policy) =>
      policy.versionId === commission.policy_version_id ||
      (policy.from <= at && (policy.until === null || policy.until > at)),
  );
  return inForce.map((policy) => ({ policy, verdict: verdictOf(policy, sale, commission) }));
}

function verdictOf(policy: PolicyVersion, sale: Sale, commission: Commission): Verdict {
  if (policy.versionId === commission.policy_version_id) return 'chosen';
  if (choosePolicy([policy], sale.product_id, commission.partner_id)) return 'less_specific';
  return policy.productId === null || policy.productId === sale.product_id
    ? 'other_partner'
    : 'other_product';
}

function describeTarget({ productId, partnerId }: PolicyVersion): string {
  if (productId !== null) return partnerId === null ? 'for this product' : 'for this product and partner';
  return partnerId === null ? 'for everything, the program’s default' : 'for this partner';
}

function describeTerms({ type, rateBps, amountCents }: PolicyVersion, currency: string): string {
  return type === 'percent'
    ? `${(rateBps ?? 0) / 100} %`
    : `${toMajorUnits(amountCents ?? 0, currency)} ${currency}`;
}

function renewalRule(sale: Sale, commission: Commission, { commissions, policies }: Deciders): Rule {
  const first = commissions.find((row) => row.id === commission.first_commission_id);
  const terms = policies.find((policy) => policy.versionId === commission.policy_version_id);
  return {
    reason: 'renewal_of_subscription',
    why: `A renewal: an earlier commission has the same subscription. It needs no window and keeps that commission’s terms, ${describePeriod(terms?.recurringMonths ?? null)}.`,
    detail: {
      first_commission_id: commission.first_commission_id,
      ...periodDetail(first?.commission_at, terms),
      sale_date: isoTime(sale.sale_at),
    },
  };
}

function endedStep(sale: Sale, { firstOfEnded }: Deciders): Step {
  const first = firstOfEnded.get(sale.id);
  const earned = first ? ` that earned ${describePeriod(first.terms.recurringMonths)}` : '';
  return {
    order: sale.created_at,
    step: 'no_commission',
    reason: 'recurring_ended',
    why: `A renewal of a subscription${earned}: that time is over.`,
    detail: {
      sale_id: sale.id,
      first_commission_id: first?.id ?? null,
      ...periodDetail(first?.commissionAt, first?.terms),
      sale_date: isoTime(sale.sale_at),
    },
  };
}

function describePeriod(months: number | null): string {
  if (months === null) return 'without an end';
  return months === 0
    ? 'for the first payment only'
    : `for ${months} ${months === 1 ? 'month' : 'months'} from it on`;
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

function windowStep(sale: Sale, { clicks }: Deciders): Step {
  const days = daysSinceClick(sale, clicks);
  const last = lastOwnClick(sale, clicks);
  return {
    order: sale.created_at,
    step: 'no_commission',
    reason: 'window_expired',
    why: `The sale came ${describeDays(days)} after the last click by a link of the customer’s partner; the window was ${describeDays(sale.window_days)}.`,
    detail: {
      sale_id: sale.id,
      last_click_at: last === null ? null : isoTime(last),
      days_since_click: days,
      window_days: sale.window_days,
      sale_date: isoTime(sale.sale_at),
    },
  };
}

/** When the customer last came by a link of the partner that the sale is of, as the sale was recorded. */
function lastOwnClick(sale: Sale, clicks: EventTimeline['clicks']): number | null {
  const own = clicks.filter(
    (click) => click.partner_id === sale.partner_id && click.created_at <= sale.created_at,
  );
  return own.length === 0 ? null : Math.max(...own.map((click) => click.click_at));
}

function daysSinceClick(sale: Sale, clicks: EventTimeline['clicks']): number | null {
  const last = lastOwnClick(sale, clicks);
  return last === null ? null : Math.max(0, Math.floor(((sale.sale_at - last) / DAY_MS) * 100) / 100);
}

function describeDays(days: number | null): string {
  if (days === null) return 'an unknown time';
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}
