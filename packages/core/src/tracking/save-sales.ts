import { isoTime } from '../domain/calendar.ts';
import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { isTransient } from '../storage/database/engine/transient.ts';
import {
  addCounters,
  addDailyTotals,
  type CounterDelta,
  changedDaysOf,
  type DailyDelta,
} from '../storage/tracking/counters.ts';
import { type CustomerChange, updateCustomers } from '../storage/tracking/customers.ts';
import { addTraceNotes } from '../storage/tracking/outbox.ts';
import { insertSales } from '../storage/tracking/sales.ts';
import { isSubscribed, publishEvents } from '../webhooks/publish-events.ts';
import type { CommissionDecision } from './decide-commission.ts';
import type { AttributedSale } from './decide-sales.ts';
import { endReviewsOfConfirmedKeys } from './end-reviews-of-confirmed-keys.ts';
import { scheduleCommissionRepair } from './repair-commission.ts';
import { type CommissionOwed, type RecordedSale, saleColumnsOf } from './sale.ts';
import { commissionTotals, type NewCommission, saveCommissions } from './save-commissions.ts';
import { saveTotals, type TotalsRetry } from './save-totals.ts';

export interface DecidedSale extends AttributedSale {
  readonly decision: CommissionDecision;
}

interface SavedSale extends DecidedSale {
  readonly saleId: number;
}

interface SaleWithOutcome {
  readonly sale: DecidedSale;
  readonly outcome: RecordedSale | CommissionOwed;
}

/**
 * Stores sales with their commissions, trace notes, counters and totals. Also stores the changes to their
 * customers.
 * @param sales no two of the sales may share a payment id
 * @param retry null if a failed update of counters and totals must fail the whole batch
 * @returns a result for each sale, in order
 * @throws UniqueConflict
 */
export async function saveSales(
  tx: Transaction,
  runtime: Runtime,
  sales: readonly DecidedSale[],
  customers: readonly CustomerChange[],
  retry: TotalsRetry | null,
): Promise<SaleWithOutcome[]> {
  const now = runtime.now();
  const saved = await insertDecidedSales(tx, runtime, sales, now);
  await updateCustomers(tx, customers);
  await endReviewsOfConfirmedKeys(tx, customers, now);
  await addTraceNotes(
    tx,
    saved.flatMap((sale) => attributionNotes(sale, now)),
  );
  // Publish the sales first, so that the event of a sale precedes the event of its commission.
  await publishSales(tx, saved, now);
  const commissionIds = await saveOrRepairCommissions(tx, runtime, saved, now);
  const counters = saved.map(countConversion);
  const totals = saved.flatMap((sale) => dailyTotals(sale, commissionIds.has(sale.saleId)));
  const write = async () => {
    await addCounters(tx, counters);
    await addDailyTotals(tx, totals);
  };
  await saveTotals(tx, { counters, days: changedDaysOf(totals), write }, retry);
  return saved.map((sale) => ({ sale, outcome: saleOutcomeOf(sale, commissionIds.get(sale.saleId)) }));
}

async function insertDecidedSales(
  tx: Transaction,
  runtime: Runtime,
  sales: readonly DecidedSale[],
  now: number,
): Promise<SavedSale[]> {
  const ids = await insertSales(
    tx,
    sales.map(({ program, refs, sale, resolution, basis, fingerprint, decision, saleAt }) => ({
      workspaceId: program.workspaceId,
      refs,
      sale: {
        ...saleColumnsOf(program, sale, resolution.customer),
        partner_id: basis.partnerId,
        fingerprint,
        no_commission_reason: decision.kind === 'no_commission' ? decision.reason : null,
        window_days: program.cookieWindowDays,
        min_sale_cents: program.minSaleCents,
        base_cents: basis.baseCents ?? null,
        sale_at: saleAt,
        created_at: now,
      },
    })),
    runtime.transactionIds,
  );
  return sales.map((sale, index) => {
    const saleId = ids[index];
    if (saleId === undefined) throw new Error(`The sale ${sale.sale.transaction_id} was not stored`);
    return { ...sale, saleId };
  });
}

/**
 * Returns the trace notes for a sale whose customer is not obvious. The notes explain why the sale belongs to
 * this customer.
 */
function attributionNotes({ resolution, program, sale, saleId, decision }: SavedSale, now: number) {
  const needsApproval = decision.kind === 'commission' && decision.plan.needsApproval === true;
  const reason = needsApproval ? 'customer_key_only_claimed' : resolution.note;
  if (reason === null) return [];
  return [
    {
      programId: program.id,
      customerId: resolution.customer.id,
      saleId,
      reason,
      detail: resolution.displaced?.click_id ?? sale.click_id ?? null,
      now,
    },
  ];
}

async function publishSales(tx: Transaction, sales: readonly SavedSale[], now: number): Promise<void> {
  const events = sales.flatMap(({ program, saleId, sale, saleAt, resolution, basis, decision }) => {
    if (!isSubscribed(program, 'sale.created')) return [];
    const { customer } = resolution;
    const data = {
      program_id: program.id,
      sale_id: saleId,
      transaction_id: sale.transaction_id,
      customer_id: customer.id,
      customer_key: sale.customer_key ?? customer.customer_key,
      click_id: customer.click_id,
      partner_id: basis.partnerId,
      amount_cents: basis.amountCents,
      currency: basis.currency,
      subscription_id: sale.subscription_id ?? null,
      product_id: sale.product_id ?? null,
      no_commission_reason: decision.kind === 'no_commission' ? decision.reason : null,
      sale_at: isoTime(saleAt),
    };
    return [{ program, event: { type: 'sale.created' as const, data } }];
  });
  await publishEvents(tx, events, now);
}

function countConversion({ program, basis, saleAt }: SavedSale): CounterDelta {
  return {
    programId: program.id,
    subject: 'partner',
    subjectId: basis.partnerId,
    measure: 'conversions',
    value: 1,
    at: saleAt,
  };
}

/** @param hasCommission whether the commission of the sale was stored */
function dailyTotals(
  { program, saleAt, basis, resolution, decision }: SavedSale,
  hasCommission: boolean,
): DailyDelta[] {
  const day = { programId: program.id, partnerId: basis.partnerId, at: saleAt };
  const isFirst = resolution.customer.first_purchase_at === null;
  return [
    { ...day, measure: 'sales', value: 1 },
    { ...day, measure: `revenue:${basis.currency}`, value: basis.amountCents },
    { ...day, measure: 'first_purchases', value: isFirst ? 1 : 0 },
    ...(hasCommission && decision.kind === 'commission'
      ? [commissionTotals({ program, basis, plan: decision.plan })]
      : []),
  ];
}

/**
 * Stores the commissions of the sales. If a commission cannot be stored, a repair is scheduled, and the sales
 * and all other commissions are still stored.
 * @returns the ids of the commissions, by sale id
 */
async function saveOrRepairCommissions(
  tx: Transaction,
  runtime: Runtime,
  sales: readonly SavedSale[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const due: NewCommission[] = [];
  for (const { program, saleId, basis, decision } of sales) {
    if (decision.kind === 'commission') due.push({ program, saleId, basis, plan: decision.plan });
    else if (decision.kind === 'no_policy') {
      const error = new Error(`Program ${program.id} has no commission policy for the sale`);
      await scheduleCommissionRepair(tx, runtime, { program, saleId, basis, plan: null }, error, now);
    }
  }
  return await trySaveCommissions(tx, runtime, due, now);
}

/** Stores all commissions at once. If that fails, stores the commissions one at a time. */
async function trySaveCommissions(
  tx: Transaction,
  runtime: Runtime,
  due: readonly NewCommission[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const [first] = due;
  if (!first) return new Map();
  try {
    return await tx.savepoint(() => saveCommissions(tx, due, now));
  } catch (error) {
    if (isTransient(error) || error instanceof Unavailable) throw error;
    if (due.length === 1) {
      await scheduleCommissionRepair(tx, runtime, first, error, now);
      return new Map();
    }
  }
  const ids = new Map<number, number>();
  for (const one of due) {
    for (const [saleId, id] of await trySaveCommissions(tx, runtime, [one], now)) ids.set(saleId, id);
  }
  return ids;
}

function saleOutcomeOf(
  { saleId, decision }: SavedSale,
  commissionId: number | undefined,
): RecordedSale | CommissionOwed {
  if (decision.kind === 'no_commission') {
    return { kind: 'recorded', saleId, commissionId: null, reason: decision.reason };
  }
  return commissionId === undefined
    ? { kind: 'commission_owed', saleId }
    : { kind: 'recorded', saleId, commissionId, reason: null };
}
