import { judgePolicy } from '../../domain/commission-reasons.ts';
import type { PolicyVersion } from '../../storage/reads/timeline-money.ts';

/** The policies that were active when a sale was recorded, each with the reason why it was chosen or not. */
export interface JudgedPolicies {
  readonly active: readonly PolicyVersion[];
  /** Undefined when the policy of the commission does not exist, for example after an import. */
  readonly chosen: PolicyVersion | undefined;
  /** The number of policies that also matched, but were less specific. */
  readonly lessSpecific: number;
  /** The field `candidates` of a step. */
  readonly candidates: readonly Readonly<Record<string, unknown>>[];
}

interface JudgedSale {
  readonly recordedAt: number;
  readonly productIds: readonly (string | null)[];
  readonly partnerId: number;
  /** The policy versions that the commission was computed with. */
  readonly chosenIds: readonly number[];
}

/**
 * Determines for a sale why each policy of the program was chosen or not. A program can have thousands of policies, and
 * a customer can have thousands of sales. Most of these sales have the same result, so results are cached and shared.
 */
export class PolicyHistory {
  readonly #policies: readonly PolicyVersion[];
  /** The times at which policies became active or inactive, sorted. */
  readonly #changedAt: readonly number[];
  readonly #results = new Map<string, JudgedPolicies>();

  constructor(policies: readonly PolicyVersion[]) {
    this.#policies = policies;
    const times = new Set(policies.flatMap(({ from, until }) => (until === null ? [from] : [from, until])));
    this.#changedAt = [...times].sort((a, b) => a - b);
  }

  judge(sale: JudgedSale): JudgedPolicies {
    const changes = this.#changedAt.findLastIndex((at) => at <= sale.recordedAt);
    const key = JSON.stringify([changes, sale.partnerId, sale.productIds, sale.chosenIds]);
    const result = this.#results.get(key) ?? judgePolicies(this.#policies, sale);
    this.#results.set(key, result);
    return result;
  }
}

function judgePolicies(
  policies: readonly PolicyVersion[],
  { recordedAt: at, productIds, partnerId, chosenIds }: JudgedSale,
): JudgedPolicies {
  const chosen = policies.filter(({ versionId }) => chosenIds.includes(versionId));
  const active = policies.filter(
    (policy) =>
      chosen.includes(policy) || (policy.from <= at && (policy.until === null || policy.until > at)),
  );
  const verdicts = active.map((policy) => judgePolicy(policy, chosen, { productIds, partnerId }));
  return {
    active,
    chosen: active[verdicts.indexOf('chosen')],
    lessSpecific: verdicts.filter((verdict) => verdict === 'less_specific').length,
    candidates: active.map((policy, index) => toCandidate(policy, verdicts[index])),
  };
}

/** A draft policy in a simulation has no ids. */
type CandidatePolicy = Omit<PolicyVersion, 'policyId' | 'version' | 'versionId' | 'from' | 'until'> &
  Readonly<Record<'policyId' | 'version' | 'versionId', number | null>>;

/** Returns the fields of a policy in the list `candidates` of a reply. */
export function toCandidate<Verdict>(policy: CandidatePolicy, verdict: Verdict) {
  return {
    policy_id: policy.policyId,
    version: policy.version,
    policy_version_id: policy.versionId,
    product_id: policy.productId,
    partner_id: policy.partnerId,
    type: policy.type,
    rate_bps: policy.rateBps,
    amount_cents: policy.amountCents,
    recurring_months: policy.recurringMonths,
    verdict,
  };
}
