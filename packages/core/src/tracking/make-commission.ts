import { DAY_MS } from '../domain/calendar.ts';
import {
  choosePolicy,
  computeCommission,
  isInWindow,
  isRenewalEarning,
  type PolicyCandidate,
} from '../domain/commission.ts';
import type { FirstCommission } from '../storage/commissions.ts';
import { findFirstCommission, insertCommission, listPolicyCandidates } from '../storage/commissions.ts';
import { addDailyTotals } from '../storage/counters.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { creditPartner } from '../storage/ledger.ts';
import type { ProgramAccount } from '../storage/programs.ts';
import type { NoCommissionReason } from '../storage/schema.ts';

/** The sale as its commission sees it. */
export interface EarningSale {
  readonly amountCents: number;
  readonly currency: string;
  readonly productId: string | null;
  readonly subscriptionId: string | null;
  readonly saleAt: number;
  readonly customerId: number;
  readonly partnerId: number;
  readonly lastClickAt: number;
}

/** A commission that is due, worked out but not yet stored. It is kept as JSON when storing fails. */
export interface CommissionPlan {
  readonly policyVersionId: number;
  readonly firstCommissionId: number | null;
  readonly amountCents: number;
  readonly currency: string;
}

/** What a sale earns by the program's rules. */
export type Earning =
  | { readonly kind: 'earns'; readonly plan: CommissionPlan }
  | { readonly kind: 'earns_nothing'; readonly reason: NoCommissionReason }
  /** The program has no policy for it, not even a default, which must always exist. */
  | { readonly kind: 'undecided' };

/** Loads the rules in force for the sale and applies them. */
export async function findEarning(
  tx: Transaction,
  program: ProgramAccount,
  sale: EarningSale,
): Promise<Earning> {
  const first =
    sale.subscriptionId === null
      ? null
      : await findFirstCommission(tx.db, program.id, sale.customerId, sale.subscriptionId);
  const policies = first ? [] : await listPolicyCandidates(tx.db, program.id);
  return decideEarning(program, sale, first, policies);
}

/**
 * A renewal, known by an earlier commission of its subscription, needs no window and keeps the terms of that
 * commission for as long as they say. Any other sale earns by the most specific policy, within the window.
 */
function decideEarning(
  program: Pick<ProgramAccount, 'id' | 'currency' | 'cookieWindowDays'>,
  sale: EarningSale,
  first: FirstCommission | null,
  policies: readonly PolicyCandidate[],
): Earning {
  if (first) {
    return isRenewalEarning(sale.saleAt, first.commissionAt, first.terms.recurringMonths)
      ? { kind: 'earns', plan: planCommission(first.terms, sale, program, first.id) }
      : { kind: 'earns_nothing', reason: 'recurring_ended' };
  }
  if (!isInWindow(sale.saleAt, sale.lastClickAt, program.cookieWindowDays)) {
    return { kind: 'earns_nothing', reason: 'window_expired' };
  }
  const policy = choosePolicy(policies, sale.productId, sale.partnerId);
  return policy
    ? { kind: 'earns', plan: planCommission(policy, sale, program, null) }
    : { kind: 'undecided' };
}

function planCommission(
  terms: PolicyCandidate,
  sale: EarningSale,
  program: Pick<ProgramAccount, 'currency'>,
  firstCommissionId: number | null,
): CommissionPlan {
  return {
    policyVersionId: terms.versionId,
    firstCommissionId,
    ...computeCommission(terms, sale, program.currency),
  };
}

/** Stores a commission, credits it to both balances and adds it to the totals of the sale's day. @returns its id */
export async function saveCommission(
  tx: Transaction,
  program: ProgramAccount,
  saleId: number,
  sale: EarningSale,
  plan: CommissionPlan,
  now: number,
): Promise<number> {
  const releasableAt = sale.saleAt + program.holdDays * DAY_MS;
  const isReleased = releasableAt <= now;
  const commissionId = await insertCommission(tx, {
    program_id: program.id,
    sale_id: saleId,
    partner_id: sale.partnerId,
    customer_id: sale.customerId,
    policy_version_id: plan.policyVersionId,
    first_commission_id: plan.firstCommissionId,
    subscription_id: sale.subscriptionId,
    amount_cents: plan.amountCents,
    deducted_cents: 0,
    currency: plan.currency,
    status: isReleased ? 'approved' : 'pending',
    releasable_at: releasableAt,
    approved_at: isReleased ? now : null,
    commission_at: sale.saleAt,
    created_at: now,
  });
  await creditPartner(
    tx,
    {
      programId: program.id,
      partnerId: sale.partnerId,
      currency: plan.currency,
      commissionId,
      at: now,
    },
    'commission',
    plan.amountCents,
  );
  await addDailyTotals(tx, [
    {
      programId: program.id,
      partnerId: sale.partnerId,
      at: sale.saleAt,
      measure: `commission:${plan.currency}`,
      value: plan.amountCents,
    },
  ]);
  return commissionId;
}
