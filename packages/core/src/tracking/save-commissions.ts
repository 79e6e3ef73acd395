import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { insertCommissions } from '../storage/money/commissions.ts';
import { creditPartners } from '../storage/money/ledger.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { addDailyTotals, changedDaysOf, type DailyDelta } from '../storage/tracking/counters.ts';
import { commissionEvent } from '../webhooks/event-payloads.ts';
import { isSubscribed, publishEvents } from '../webhooks/publish-events.ts';
import type { CommissionBasis, CommissionPlan } from './decide-commission.ts';
import { saveTotals } from './save-totals.ts';

export interface NewCommission {
  readonly program: ProgramAccount;
  readonly saleId: number;
  readonly basis: CommissionBasis;
  readonly plan: CommissionPlan;
}

/**
 * Stores commissions, credits them to the balances of their partners, and publishes their events. The caller
 * must add `commissionTotals` to the daily totals.
 * @param commissions their programs must be locked
 * @returns the ids of the commissions, by sale id
 */
export async function saveCommissions(
  tx: Transaction,
  commissions: readonly NewCommission[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const rows = commissions.map((commission) => toCommissionRow(commission, now));
  const ids = await insertCommissions(tx, rows);
  await creditPartners(
    tx,
    commissions.map(({ program, saleId, basis, plan }) => ({
      subject: {
        programId: program.id,
        partnerId: basis.partnerId,
        currency: plan.currency,
        commissionId: savedCommissionIdOf(ids, saleId),
        at: now,
      },
      kind: 'commission',
      amountCents: plan.amountCents,
    })),
  );
  const events = commissions.flatMap(({ program, saleId }, index) => {
    const row = rows[index];
    if (!row || !isSubscribed(program, 'commission.created', 'commission.approved')) return [];
    const saved = { ...row, id: savedCommissionIdOf(ids, saleId) };
    const created = { program, event: commissionEvent('commission.created', saved) };
    const isApproved = saved.status === 'approved';
    return isApproved
      ? [created, { program, event: commissionEvent('commission.approved', saved) }]
      : [created];
  });
  await publishEvents(tx, events, now);
  return ids;
}

/** Stores a single commission, and adds it to the daily totals. Commits even if the totals cannot be updated. */
export async function saveCommission(
  tx: Transaction,
  { log }: Pick<Runtime, 'log'>,
  commission: NewCommission,
  now: number,
): Promise<void> {
  await saveCommissions(tx, [commission], now);
  const totals = [commissionTotals(commission)];
  const changes = { counters: [], days: changedDaysOf(totals), write: () => addDailyTotals(tx, totals) };
  await saveTotals(tx, changes, { log, now });
}

/** The amounts that a commission adds to the daily totals. */
export function commissionTotals({
  program,
  basis,
  plan,
}: Pick<NewCommission, 'program' | 'basis' | 'plan'>): DailyDelta {
  return {
    programId: program.id,
    partnerId: basis.partnerId,
    at: basis.saleAt,
    measure: `commission:${plan.currency}`,
    value: plan.amountCents,
  };
}

function toCommissionRow({ program, saleId, basis, plan }: NewCommission, now: number) {
  const releasableAt = basis.saleAt + program.holdDays * DAY_MS;
  const needsApproval = plan.needsApproval === true;
  const isReleased = releasableAt <= now && !needsApproval;
  return {
    program_id: program.id,
    sale_id: saleId,
    partner_id: basis.partnerId,
    customer_id: basis.customerId,
    policy_version_id: plan.policyVersionId,
    first_commission_id: plan.firstCommissionId,
    subscription_id: basis.subscriptionId,
    parts: plan.parts === undefined || plan.parts.length === 0 ? null : JSON.stringify(plan.parts),
    amount_cents: plan.amountCents,
    deducted_cents: 0,
    currency: plan.currency,
    status: isReleased ? ('approved' as const) : ('pending' as const),
    releasable_at: releasableAt,
    needs_approval: needsApproval ? (1 as const) : (0 as const),
    approved_at: isReleased ? now : null,
    commission_at: basis.saleAt,
    created_at: now,
  };
}

function savedCommissionIdOf(ids: ReadonlyMap<number, number>, saleId: number): number {
  const id = ids.get(saleId);
  if (id === undefined) throw new Error(`The commission of sale ${saleId} was not stored`);
  return id;
}
