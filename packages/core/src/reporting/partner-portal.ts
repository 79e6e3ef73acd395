import { choosePolicy, type PolicyTerms } from '../domain/commission.ts';
import { nextScheduledDay } from '../domain/payout-schedule.ts';
import type { Runtime } from '../runtime.ts';
import { findLastProposals } from '../storage/money/payout-runs.ts';
import { listPoliciesOfPartners, type Policy } from '../storage/money/policies.ts';
import { countPartnerLinks } from '../storage/programs/links.ts';
import { findPartnerFigures, type PartnerFigures } from '../storage/programs/partner-figures.ts';
import { listPartnerEnrollments, type PartnerEnrollment } from '../storage/reads/partner-enrollments.ts';
import { readDataSince } from './data-since.ts';

/** An enrollment of a partner, with the counters and balances in that program, and the partner's terms. */
export interface EnrollmentView extends PartnerEnrollment {
  readonly figures: PartnerFigures;
  readonly linkCount: number;
  /** See `readDataSince`. */
  readonly dataSince: number;
  readonly terms: PartnerTerms;
  /** When the next payouts are proposed. Null without a schedule. */
  readonly nextPayoutAt: number | null;
}

/** The commission that a partner earns in a program. */
interface PartnerTerms {
  /** The terms for products without a policy of their own. Null if these products earn nothing. */
  readonly commission: PolicyTerms | null;
  readonly products: readonly (PolicyTerms & { readonly productId: string })[];
}

const MAX_PRODUCT_TERMS = 50;

/**
 * Chooses the partner's terms by the same rules as for a sale. A policy of the partner takes precedence over a policy
 * for all partners.
 */
function termsOf(policies: readonly Policy[], { partnerId, program }: PartnerEnrollment): PartnerTerms {
  const own = policies
    .filter((policy) => policy.programId === program.id)
    .map((policy) => ({ ...policy, versionId: policy.id }));
  const productIds = [
    ...new Set(
      own.flatMap(({ productId, partnerId: id }) =>
        productId !== null && (id === null || id === partnerId) ? [productId] : [],
      ),
    ),
  ];
  return {
    commission: choosePolicy(own, null, partnerId),
    products: productIds.slice(0, MAX_PRODUCT_TERMS).flatMap((productId) => {
      const terms = choosePolicy(own, productId, partnerId);
      return terms === null ? [] : [{ ...terms, productId }];
    }),
  };
}

/** Reads the enrollments of the partners. @param programs `all` includes deleted programs */
export async function readPartnerEnrollments(
  runtime: Runtime,
  partnerIds: readonly number[],
  programs: 'existing' | 'all' = 'existing',
): Promise<EnrollmentView[]> {
  const { read } = runtime.engine;
  const enrollments = await listPartnerEnrollments(read, partnerIds, programs);
  const programIds = [...new Set(enrollments.map(({ program }) => program.id))];
  const counts = await countPartnerLinks(read, { programIds, partnerIds });
  const policies = await listPoliciesOfPartners(read, programIds, partnerIds);
  const proposals = await findLastProposals(read, programIds);
  const views: EnrollmentView[] = [];
  const at = runtime.now();
  for (const enrollment of enrollments) {
    const { partnerId, program } = enrollment;
    const { payoutDay } = program;
    const lastProposal = proposals.get(program.id) ?? null;
    const figuresOf = await findPartnerFigures(read, program.id, [partnerId], at);
    const count = counts.find((row) => row.program_id === program.id && row.partner_id === partnerId);
    views.push({
      ...enrollment,
      figures: figuresOf(partnerId),
      linkCount: count?.total ?? 0,
      dataSince: await readDataSince(runtime, { programId: program.id, partnerId }, enrollment.createdAt),
      terms: termsOf(policies, enrollment),
      nextPayoutAt: payoutDay === null ? null : nextScheduledDay(payoutDay, at, lastProposal).at,
    });
  }
  return views;
}
