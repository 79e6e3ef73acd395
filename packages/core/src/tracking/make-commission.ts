import { DAY_MS } from '../domain/calendar.ts';
import {
  choosePolicy,
  computeCommission,
  isInWindow,
  isRenewalEarning,
  type PolicyCandidate,
} from '../domain/commission.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { NoCommissionReason } from '../storage/database/schema.ts';
import {
  type FirstCommission,
  findFirstCommission,
  insertCommissions,
  listPolicyCandidates,
} from '../storage/money/commissions.ts';
import { creditPartners } from '../storage/money/ledger.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { addDailyTotals } from '../storage/tracking/counters.ts';

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

/** Loads the rules in force for the sales and applies them. @returns the sales with what each earns, in their order */
export async function findEarnings<
  Sale extends { readonly program: ProgramAccount; readonly earningSale: EarningSale },
>(tx: Transaction, sales: readonly Sale[]): Promise<(Sale & { readonly earning: Earning })[]> {
  const policiesOf = await listPolicyCandidates(
    tx.db,
    sales.map(({ program }) => program.id),
  );
  const earned: (Sale & { readonly earning: Earning })[] = [];
  for (const sale of sales) {
    const { program, earningSale } = sale;
    const { customerId, subscriptionId } = earningSale;
    const first =
      subscriptionId === null
        ? null
        : await findFirstCommission(tx.db, program, customerId, subscriptionId, null);
    const earning = decideEarning(program, earningSale, first, policiesOf(program.id));
    earned.push({ ...sale, earning });
  }
  return earned;
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

/** A commission that is due. */
export interface DueCommission {
  readonly program: ProgramAccount;
  readonly saleId: number;
  readonly earningSale: EarningSale;
  readonly plan: CommissionPlan;
}

/** Stores commissions, credits each to both balances and adds it to the totals of its sale's day. @returns ids by sale */
export async function saveCommissions(
  tx: Transaction,
  due: readonly DueCommission[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const ids = await insertCommissions(
    tx,
    due.map((one) => toRow(one, now)),
  );
  await creditPartners(
    tx,
    due.map(({ program, saleId, earningSale, plan }) => ({
      subject: {
        programId: program.id,
        partnerId: earningSale.partnerId,
        currency: plan.currency,
        commissionId: idOf(ids, saleId),
        at: now,
      },
      kind: 'commission',
      amountCents: plan.amountCents,
    })),
  );
  await addDailyTotals(
    tx,
    due.map(({ program, earningSale, plan }) => ({
      programId: program.id,
      partnerId: earningSale.partnerId,
      at: earningSale.saleAt,
      measure: `commission:${plan.currency}`,
      value: plan.amountCents,
    })),
  );
  return ids;
}

function toRow({ program, saleId, earningSale: sale, plan }: DueCommission, now: number) {
  const releasableAt = sale.saleAt + program.holdDays * DAY_MS;
  const isReleased = releasableAt <= now;
  return {
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
  };
}

function idOf(ids: ReadonlyMap<number, number>, saleId: number): number {
  const id = ids.get(saleId);
  if (id === undefined) throw new Error(`The commission of sale ${saleId} was not stored`);
  return id;
}
