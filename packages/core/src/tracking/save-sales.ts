import type { Resolution } from '../domain/attribution.ts';
import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { isTransient } from '../storage/database/engine/transient.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { addCounters, addDailyTotals } from '../storage/tracking/counters.ts';
import { type CustomerChange, type CustomerRow, updateCustomers } from '../storage/tracking/customers.ts';
import { addTraceNote, addTraceNotes, enqueue } from '../storage/tracking/outbox.ts';
import { insertSales } from '../storage/tracking/sales.ts';
import { type CommissionPlan, type Earning, type EarningSale, saveCommissions } from './make-commission.ts';
import { type CommissionOwed, describeSale, type SaleInput, type SaleRecorded } from './sale.ts';

/** A sale with its customer, as this stood before it, and what it earns; no two of a batch have an id in common. */
export interface AttributedSale {
  readonly program: ProgramAccount;
  readonly sale: SaleInput;
  readonly saleAt: number;
  readonly fingerprint: string;
  readonly refs: readonly string[];
  readonly resolution: Resolution<CustomerRow>;
  readonly earningSale: EarningSale;
  readonly earning: Earning;
}

interface Saved extends AttributedSale {
  readonly saleId: number;
}

/**
 * Stores sales with all that follows from them, and what becomes of their customers.
 * @returns an outcome for each, in their order
 * @throws TakenMeanwhile
 */
export async function saveSales(
  tx: Transaction,
  runtime: Runtime,
  sales: readonly AttributedSale[],
  customers: readonly CustomerChange[],
): Promise<(SaleRecorded | CommissionOwed)[]> {
  const now = runtime.now();
  const ids = await insertSales(
    tx,
    sales.map((one) => ({
      workspaceId: one.program.workspaceId,
      refs: one.refs,
      sale: {
        ...describeSale(one.program, one.sale, one.resolution.customer),
        partner_id: one.earningSale.partnerId,
        fingerprint: one.fingerprint,
        no_commission_reason: one.earning.kind === 'earns_nothing' ? one.earning.reason : null,
        window_days: one.program.cookieWindowDays,
        sale_at: one.saleAt,
        created_at: now,
      },
    })),
  );
  const saved = sales.map((one, index): Saved => ({ ...one, saleId: ids[index] ?? Number.NaN }));
  await updateCustomers(tx, customers);
  await addNotes(tx, saved, now);
  await addCounters(
    tx,
    saved.map(({ program, earningSale, saleAt }) => ({
      programId: program.id,
      partnerId: earningSale.partnerId,
      measure: 'conversions',
      at: saleAt,
    })),
  );
  await addDailyTotals(tx, saved.flatMap(totalsOf));
  const commissions = await commissionsOrRepair(tx, runtime, saved, now);
  return saved.map(({ saleId, earning }) => {
    if (earning.kind === 'earns_nothing') {
      return { kind: 'recorded', saleId, commissionId: null, reason: earning.reason };
    }
    const commissionId = commissions.get(saleId);
    return commissionId === undefined
      ? { kind: 'commission_owed', saleId }
      : { kind: 'recorded', saleId, commissionId, reason: null };
  });
}

function totalsOf({ program, saleAt, earningSale, resolution }: Saved) {
  const day = { programId: program.id, partnerId: earningSale.partnerId, at: saleAt };
  const isFirst = resolution.customer.first_purchase_at === null;
  return [
    { ...day, measure: 'sales' as const, value: 1 },
    { ...day, measure: `revenue:${earningSale.currency}` as const, value: earningSale.amountCents },
    { ...day, measure: 'first_purchases' as const, value: isFirst ? 1 : 0 },
  ];
}

/** Keeps why the sales are of those customers. */
async function addNotes(tx: Transaction, saved: readonly Saved[], now: number): Promise<void> {
  await addTraceNotes(
    tx,
    saved.flatMap(({ resolution, program, sale, saleId }) =>
      resolution.note === null
        ? []
        : {
            programId: program.id,
            customerId: resolution.customer.id,
            saleId,
            reason: resolution.note,
            detail: resolution.displaced?.click_id ?? sale.click_id ?? null,
            now,
          },
    ),
  );
}

interface Due extends Saved {
  readonly plan: CommissionPlan;
}

/**
 * A commission that can't be stored never takes its sale with it, nor its neighbours: it is stored as owed, and made
 * later. @returns commission ids by sale
 */
async function commissionsOrRepair(
  tx: Transaction,
  runtime: Runtime,
  saved: readonly Saved[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const due: Due[] = [];
  for (const one of saved) {
    if (one.earning.kind === 'earns') due.push({ ...one, plan: one.earning.plan });
    else if (one.earning.kind === 'undecided') {
      const error = new Error(`Program ${one.program.id} has no commission policy for the sale`);
      await oweCommission(tx, runtime, one, null, error, now);
    }
  }
  return await storeCommissions(tx, runtime, due, now);
}

async function storeCommissions(
  tx: Transaction,
  runtime: Runtime,
  due: readonly Due[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const [only] = due;
  if (!only) return new Map();
  try {
    return await tx.savepoint(() => saveCommissions(tx, due, now));
  } catch (error) {
    if (isTransient(error) || error instanceof Unavailable) throw error;
    if (due.length === 1) {
      await oweCommission(tx, runtime, only, only.plan, error, now);
      return new Map();
    }
    const stored = new Map<number, number>();
    for (const one of due) {
      for (const [saleId, id] of await storeCommissions(tx, runtime, [one], now)) stored.set(saleId, id);
    }
    return stored;
  }
}

async function oweCommission(
  tx: Transaction,
  runtime: Runtime,
  { saleId, program, earningSale: sale }: Saved,
  plan: CommissionPlan | null,
  error: unknown,
  now: number,
): Promise<void> {
  const fields = { err: error, sale_id: saleId, program_id: program.id };
  runtime.log.error(fields, 'commission could not be made');
  await addTraceNote(tx, {
    programId: program.id,
    customerId: sale.customerId,
    saleId,
    reason: 'commission_owed',
    detail: null,
    now,
  });
  await enqueue(tx, program.id, 'make_commission', saleId, { sale, plan }, now);
}
