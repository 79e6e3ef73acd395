import { DAY_MS } from '../domain/calendar.ts';
import { findLongestTerms, type PolicyCandidate, type PolicyTerms } from '../domain/commission.ts';
import { checkAmounts } from '../domain/commission-base.ts';
import { listSoldProducts } from '../domain/commission-parts.ts';
import {
  explainAmount,
  explainExpiredWindow,
  explainMinimum,
  explainPolicy,
  explainRecurringEnd,
  explainRenewal,
  explainWindow,
  isSharedPolicy,
  judgePolicy,
  type PolicyVerdict,
  ZERO_AMOUNT_WHY,
} from '../domain/commission-reasons.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { deriveRenewalTerms, type FirstCommission } from '../storage/money/commissions.ts';
import { findEnrolledPartner } from '../storage/programs/partners.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { listPolicyVersions } from '../storage/reads/timeline-money.ts';
import {
  type CommissionBasis,
  type CommissionDecision,
  type CommissionPlan,
  type CommissionRules,
  decideCommission,
} from './decide-commission.ts';
import { earningsOfSale, type SoldFields } from './earnings-of-sale.ts';
import { saleAmountsOf } from './sale.ts';

/** The sale to simulate. */
export interface SimulatedSale extends SoldFields {
  /** If missing, the sale is simulated for a partner without special policies. */
  readonly partner_id?: number | undefined;
  readonly days_since_click: number;
  /** Whether the sale renews a subscription. The first payment is assumed to be on the day of the click. */
  readonly is_recurring?: boolean | undefined;
}

/**
 * A policy that has not been stored. In the simulation, the draft replaces the policy with the same product
 * and partner.
 */
export interface DraftPolicy extends PolicyTerms {
  readonly productId: string | null;
  readonly partnerId: number | null;
}

/** A policy that the simulation considered. A draft policy has no ids. */
interface SimulatedPolicy extends Omit<PolicyCandidate, 'versionId'> {
  readonly policyId: number | null;
  readonly version: number | null;
  readonly versionId: number | null;
  readonly verdict: PolicyVerdict | 'replaced';
}

/** The commission that a sale would earn, with the same explanations as in the trace. */
export interface Simulation {
  /** Null when the sale earns no commission. */
  readonly plan: CommissionPlan | null;
  readonly basis: Pick<CommissionBasis, 'currency'> & { readonly baseCents: number };
  readonly reason: string;
  readonly why: string;
  /** Empty when no policy was needed for the decision. */
  readonly policies: readonly SimulatedPolicy[];
  /**
   * The number of months in which renewals earn, from the policy that covers the largest part of the sale, or from the
   * policy with the longest period if that period is over. Null if there is no limit, or if no policy was chosen.
   */
  readonly recurringMonths: number | null;
}

/**
 * The version id of a draft policy. It is larger than every stored id. Parts are computed in the order of
 * version ids, so the draft comes last.
 */
const DRAFT_VERSION_ID = Number.MAX_SAFE_INTEGER;
/** The partner id of a simulated sale without a partner. No row has this id. */
const NO_PARTNER_ID = 0;

type SimulationPolicy = PolicyCandidate & Pick<SimulatedPolicy, 'policyId' | 'version'>;

/**
 * Decides the commission of a simulated sale by the same rules as for real sales. It does not store anything.
 */
export async function simulateCommission(
  runtime: Runtime,
  program: ProgramAccount,
  sale: SimulatedSale,
  draft: DraftPolicy | null,
): Promise<Simulation | Rejection> {
  const { read } = runtime.engine;
  const fault = checkAmounts(saleAmountsOf(sale));
  if (fault) return fault;
  const { partner_id: partnerId = null } = sale;
  const partner = partnerId === null ? null : await findEnrolledPartner(read, program.id, partnerId);
  if (partnerId !== null && !partner) return notEnrolled('partner_id');
  const draftPartnerId = draft?.partnerId ?? null;
  if (draftPartnerId !== null && !(await findEnrolledPartner(read, program.id, draftPartnerId))) {
    return notEnrolled('draft.partner_id');
  }
  const stored = (await listPolicyVersions(read, program.id)).filter(({ until }) => until === null);
  const replaced = stored.filter((policy) => draft !== null && hasSameTarget(policy, draft));
  const policies: SimulationPolicy[] = stored.filter((policy) => !replaced.includes(policy));
  if (draft) policies.push({ ...draft, policyId: null, version: null, versionId: DRAFT_VERSION_ID });
  const basis = simulatedBasis(program, sale, runtime.now());
  if (partner && partner.status !== 'approved') {
    return {
      ...withoutCommission(basis),
      reason: 'no_partner_program',
      why: 'The partner is not approved in the program, so a sale of its customers is rejected.',
    };
  }
  const { decision, first } = decideSimulatedSale(program, basis, policies, sale.is_recurring === true);
  return explainSimulation(program, sale, basis, { decision, first, policies, replaced });
}

function notEnrolled(field: string): Rejection {
  return new Rejection('invalid_field', `${field} must be a partner of the program`);
}

function hasSameTarget(policy: PolicyCandidate, draft: DraftPolicy): boolean {
  return policy.productId === draft.productId && policy.partnerId === draft.partnerId;
}

function simulatedBasis(program: ProgramAccount, sale: SimulatedSale, now: number): CommissionBasis {
  return {
    ...earningsOfSale(program, sale),
    subscriptionId: null,
    saleAt: now,
    customerId: 0,
    partnerId: sale.partner_id ?? NO_PARTNER_ID,
    lastClickAt: now - sale.days_since_click * DAY_MS,
  };
}

interface SimulatedDecision {
  readonly decision: CommissionDecision;
  /** Null if the sale is not a renewal, or if its first payment earns no commission. */
  readonly first: CommissionRules['first'];
}

/**
 * Decides the commission of a simulated sale. For a renewal, first decides the commission of the first
 * payment. The first payment is assumed to be the same sale at the time of the click.
 */
function decideSimulatedSale(
  program: ProgramAccount,
  basis: CommissionBasis,
  policies: readonly SimulationPolicy[],
  isRenewal: boolean,
): SimulatedDecision {
  if (!isRenewal)
    return { decision: decideCommission(program, basis, { policies, first: null }), first: null };
  const atClick = { ...basis, saleAt: basis.lastClickAt };
  const decision = decideCommission(program, atClick, { policies, first: null });
  if (decision.kind !== 'commission') return { decision, first: null };
  const { policyVersionId, parts = [] } = decision.plan;
  const first = deriveRenewalTerms(
    { id: 0, commissionAt: basis.lastClickAt, policyVersionId, parts },
    policies,
  );
  return { decision: decideCommission(program, basis, { policies, first }), first };
}

function explainSimulation(
  program: ProgramAccount,
  { days_since_click: days }: SimulatedSale,
  basis: CommissionBasis,
  {
    decision,
    first,
    ...rules
  }: SimulatedDecision & Record<'policies' | 'replaced', readonly SimulationPolicy[]>,
): Simulation {
  if (decision.kind === 'no_policy') throw new Error(`Program ${program.id} has no default policy`);
  if (decision.kind === 'no_commission') {
    const { reason } = decision;
    if (reason === 'recurring_ended' && first) {
      const terms = findLongestTerms(listProductIds(basis).map(first.termsOf));
      const recurringMonths = terms?.recurringMonths ?? null;
      const policies = judgeSimulatedPolicies(rules, basis, listRenewalVersions(first, basis));
      const why = explainRecurringEnd(recurringMonths);
      return { ...withoutCommission(basis), reason, why, policies, recurringMonths };
    }
    const why = {
      zero_amount: ZERO_AMOUNT_WHY,
      below_min_sale: explainMinimum(program.minSaleCents, basis.currency),
      window_expired: explainExpiredWindow(days, program.cookieWindowDays),
      recurring_ended: explainRecurringEnd(null),
    }[reason];
    return { ...withoutCommission(basis), reason, why };
  }
  const { plan } = decision;
  const { amountCents, currency, parts = [] } = plan;
  const hasParts = parts.length > 0;
  const versions = hasParts ? parts.map((part) => part.policyVersionId) : [plan.policyVersionId];
  const chosen = first ? listRenewalVersions(first, basis) : versions;
  const policies = judgeSimulatedPolicies(rules, basis, chosen);
  const terms = rules.policies.find(({ versionId }) => versionId === plan.policyVersionId);
  const recurringMonths = terms?.recurringMonths ?? null;
  const others = policies.filter(({ verdict }) => verdict === 'less_specific').length;
  const target = { ...basis, productIds: listProductIds(basis) };
  const isShared = terms !== undefined && isSharedPolicy(terms, rules.policies, target, program.currency);
  const rule = first
    ? [explainRenewal(recurringMonths)]
    : [
        explainWindow(days, basis.partnerId !== NO_PARTNER_ID),
        ...(terms && !hasParts ? [explainPolicy(terms, currency, others, isShared)] : []),
      ];
  const { baseCents = basis.amountCents } = basis;
  const isNet = baseCents < basis.amountCents;
  return {
    plan,
    basis: { currency, baseCents },
    reason: first ? 'renewal_of_subscription' : 'policy_applied',
    why: [...rule, explainAmount({ amountCents, currency, hasParts, isNet })].join(' '),
    policies,
    recurringMonths,
  };
}

/** The fields that are the same in all simulations in which the sale earns no commission. */
function withoutCommission({ currency, amountCents, baseCents = amountCents }: CommissionBasis) {
  return { plan: null, basis: { currency, baseCents }, policies: [], recurringMonths: null };
}

/**
 * Lists the policy versions that determine a renewal, including versions under which the renewals of a
 * product earn nothing.
 */
function listRenewalVersions(first: FirstCommission, basis: CommissionBasis): number[] {
  return listProductIds(basis).map((productId) => first.termsOf(productId).versionId);
}

function listProductIds({ productId, products = [{ productId, weight: 1 }] }: CommissionBasis) {
  return listSoldProducts(products).map((product) => product.productId);
}

function judgeSimulatedPolicies(
  { policies, replaced }: Record<'policies' | 'replaced', readonly SimulationPolicy[]>,
  basis: CommissionBasis,
  chosenIds: readonly number[],
): SimulatedPolicy[] {
  const chosen = policies.filter(({ versionId }) => chosenIds.includes(versionId));
  const target = { productIds: listProductIds(basis), partnerId: basis.partnerId };
  return [
    ...policies.map((policy) => ({
      ...policy,
      versionId: withoutDraftId(policy.versionId),
      verdict: judgePolicy(policy, chosen, target),
    })),
    ...replaced.map((policy) => ({ ...policy, verdict: 'replaced' as const })),
  ];
}

/** Returns the id of a policy version, or null for the version of the draft. */
export function withoutDraftId(versionId: number): number | null {
  return versionId === DRAFT_VERSION_ID ? null : versionId;
}
