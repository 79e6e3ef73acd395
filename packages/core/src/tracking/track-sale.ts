import { createHash } from 'node:crypto';
import type { trackSaleRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { type Resolution, resolveByToken } from '../domain/attribution.ts';
import { programOfClickId } from '../domain/click-id.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isRejection, Rejection, Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findPartnerProgramStatus } from '../storage/commissions.ts';
import { addCounters, addDailyTotals } from '../storage/counters.ts';
import {
  type CustomerRow,
  findNamedCustomers,
  isKnownClick,
  releaseCustomerKey,
  updateCustomer,
} from '../storage/customers.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { isTransient } from '../storage/engine/transient.ts';
import { addTraceNote, enqueue } from '../storage/outbox.ts';
import { closeReferences } from '../storage/processor-refs.ts';
import { holdProgram, type ProgramAccount } from '../storage/programs.ts';
import { findTransaction, insertSale } from '../storage/sales.ts';
import type { NoCommissionReason } from '../storage/schema.ts';
import { writeUnlessTaken } from '../storage/write-unless-taken.ts';
import { describeDuplicate } from './duplicate-sale.ts';
import { type KeyedRow, toKeyed } from './keyed-customer.ts';
import { type CommissionPlan, type EarningSale, findEarning, saveCommission } from './make-commission.ts';
import { attachReferences, settleParkedRefunds } from './payment-references.ts';

export type SaleInput = z.output<typeof trackSaleRequest>;

export interface SaleRecorded {
  readonly kind: 'recorded';
  readonly saleId: number;
  /** Null where the sale earns none; `reason` says why. */
  readonly commissionId: number | null;
  readonly reason: NoCommissionReason | null;
}

/** The sale is stored, its commission could not be made: a repair job will make it. */
export interface CommissionOwed {
  readonly kind: 'commission_owed';
  readonly saleId: number;
}

interface Attributed {
  readonly resolution: Resolution<KeyedRow>;
  readonly customer: CustomerRow;
  readonly partnerId: number;
}

/**
 * Records a payment once, with its commission, ledger entries, balances and totals in one transaction.
 * Of several equal requests at once one is recorded, and the others find it as a duplicate.
 */
export async function trackSale(
  runtime: Runtime,
  program: ProgramAccount,
  sale: SaleInput,
): Promise<SaleRecorded | CommissionOwed | Rejection> {
  return await writeUnlessTaken(runtime.engine, program.workspaceId, async (tx) => {
    return await recordSale(tx, runtime, program, sale);
  });
}

/**
 * Records a payment within a transaction, as `trackSale` does.
 * @throws TakenMeanwhile when another process takes one of its ids at the same time: the transaction has to be
 *   run again
 */
export async function recordSale(
  tx: Transaction,
  runtime: Runtime,
  account: ProgramAccount,
  sale: SaleInput,
): Promise<SaleRecorded | CommissionOwed | Rejection> {
  const now = runtime.now();
  const saleAt = decideOccurredAt(sale.occurred_at, now);
  if (isRejection(saleAt)) return saleAt;
  const fingerprint = fingerprintOf(sale);
  // The token was in force when it was looked at; the program may be another by now, or gone.
  const program = await holdProgram(tx, account.id);
  if (program === null) return new Rejection('token_invalid');
  const named = [sale.transaction_id, ...(sale.processor_refs ?? [])];
  const { refs, isTied } = await closeReferences(tx.db, program.workspaceId, named);
  const taken = await findTransaction(tx.db, program.workspaceId, sale.transaction_id, refs);
  if (taken) {
    const isOwn = taken.programId === program.id;
    if (isOwn && refs.length > 1) await attachReferences(tx, runtime, program.workspaceId, taken, refs);
    return await describeDuplicate(tx, program, taken, fingerprint);
  }
  const attributed = await attributeSale(tx, program, sale);
  if (isRejection(attributed)) return attributed;
  const recorded = await saveSale(tx, runtime, program, sale, attributed, { saleAt, now, fingerprint, refs });
  if (isTied) {
    const taken = { programId: program.id, saleId: recorded.saleId };
    await settleParkedRefunds(tx, runtime, program.workspaceId, taken, refs);
  }
  return recorded;
}

async function attributeSale(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleInput,
): Promise<Attributed | Rejection> {
  const { byKey, byClick } = await findNamedCustomers(tx, program.id, {
    customerKey: sale.customer_key,
    clickId: sale.click_id,
  });
  const resolution = resolveByToken(sale.customer_key, toKeyed(byKey), toKeyed(byClick));
  if (!resolution) {
    const clickProgramId = sale.click_id === undefined ? null : programOfClickId(sale.click_id);
    const isElsewhere =
      sale.click_id !== undefined &&
      clickProgramId !== null &&
      clickProgramId !== program.id &&
      (await isKnownClick(tx, clickProgramId, sale.click_id));
    return new Rejection(isElsewhere ? 'no_affiliate_attribution' : 'sale_customer_not_found');
  }
  const customer = resolution.customer.row;
  if (customer.partner_id === null) return new Rejection('partner_required');
  const standing = await findPartnerProgramStatus(tx.db, program.id, customer.partner_id);
  if (standing !== 'approved') return new Rejection('no_partner_program');
  return { resolution, customer, partnerId: customer.partner_id };
}

async function saveSale(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  sale: SaleInput,
  attributed: Attributed,
  time: { saleAt: number; now: number; fingerprint: string; refs: readonly string[] },
): Promise<SaleRecorded | CommissionOwed> {
  const { customer, partnerId, resolution } = attributed;
  const earningSale: EarningSale = {
    amountCents: sale.amount_cents,
    currency: sale.currency ?? 'USD',
    productId: sale.product_id ?? null,
    subscriptionId: sale.subscription_id ?? null,
    saleAt: time.saleAt,
    customerId: customer.id,
    partnerId,
    lastClickAt: customer.last_click_at,
  };
  const earning = await findEarning(tx, program, earningSale);
  const reason = earning.kind === 'earns_nothing' ? earning.reason : null;
  const saleId = await insertSale(
    tx,
    program.workspaceId,
    {
      ...describeSale(program, sale, customer),
      partner_id: partnerId,
      fingerprint: time.fingerprint,
      no_commission_reason: reason,
      sale_at: time.saleAt,
      created_at: time.now,
    },
    time.refs,
  );
  await saveConversion(tx, program, sale, customer, resolution, { saleId, ...time });
  await addCounters(tx, [{ programId: program.id, partnerId, measure: 'conversions', at: time.saleAt }]);
  const day = { programId: program.id, partnerId, at: time.saleAt };
  await addDailyTotals(tx, [
    { ...day, measure: 'sales', value: 1 },
    { ...day, measure: `revenue:${earningSale.currency}`, value: earningSale.amountCents },
    { ...day, measure: 'first_purchases', value: customer.first_purchase_at === null ? 1 : 0 },
  ]);
  if (earning.kind === 'earns_nothing') return { kind: 'recorded', saleId, commissionId: null, reason };
  const commissionId = await commissionOrRepair(
    tx,
    runtime,
    program,
    saleId,
    earningSale,
    earning.kind === 'earns' ? earning.plan : null,
    time.now,
  );
  return commissionId === null
    ? { kind: 'commission_owed', saleId }
    : { kind: 'recorded', saleId, commissionId, reason: null };
}

/** Moves the customer to `conversion` and settles whose key it is. */
async function saveConversion(
  tx: Transaction,
  program: ProgramAccount,
  sale: SaleInput,
  customer: CustomerRow,
  resolution: Attributed['resolution'],
  facts: { saleId: number; saleAt: number; now: number },
): Promise<void> {
  if (resolution.displaced) await releaseCustomerKey(tx, resolution.displaced.row);
  await updateCustomer(tx, customer, {
    status: 'conversion',
    first_purchase_at: customer.first_purchase_at ?? facts.saleAt,
    ...(resolution.storesKey && { customer_key: sale.customer_key ?? null, key_state: 'verified' }),
  });
  if (resolution.note) {
    await addTraceNote(tx, {
      programId: program.id,
      customerId: customer.id,
      saleId: facts.saleId,
      reason: resolution.note,
      detail: resolution.displaced?.row.click_id ?? sale.click_id ?? null,
      now: facts.now,
    });
  }
}

/** A commission that can't be stored never takes the sale with it: it is stored as owed, and made later. */
async function commissionOrRepair(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  saleId: number,
  sale: EarningSale,
  plan: CommissionPlan | null,
  now: number,
): Promise<number | null> {
  try {
    if (!plan) throw new Error(`Program ${program.id} has no commission policy for the sale`);
    return await tx.savepoint(() => saveCommission(tx, program, saleId, sale, plan, now));
  } catch (error) {
    if (isTransient(error) || error instanceof Unavailable) throw error;
    runtime.log.error(
      { err: error, sale_id: saleId, program_id: program.id },
      'commission could not be made',
    );
    await addTraceNote(tx, {
      programId: program.id,
      customerId: sale.customerId,
      saleId,
      reason: 'commission_owed',
      detail: null,
      now,
    });
    await enqueue(tx, program.id, 'make_commission', saleId, { sale, plan }, now);
    return null;
  }
}

/** The stored columns that come from the request as it is. */
export function describeSale(program: ProgramAccount, sale: SaleInput, customer: CustomerRow | null) {
  return {
    program_id: program.id,
    customer_id: customer?.id ?? null,
    processor_event_id: sale.transaction_id,
    click_id: customer?.click_id ?? sale.click_id ?? null,
    customer_key: sale.customer_key ?? null,
    amount_cents: sale.amount_cents,
    currency: sale.currency ?? 'USD',
    sale_type: sale.sale_type ?? ('payment' as const),
    payment_status: 'paid',
    is_recurring: sale.is_recurring ? (1 as const) : (0 as const),
    subscription_id: sale.subscription_id ?? null,
    subscription_interval: sale.subscription_interval ?? null,
    product_id: sale.product_id ?? null,
    line_items: sale.line_items === undefined ? null : JSON.stringify(sale.line_items),
    additional_data: sale.additional_data === undefined ? null : JSON.stringify(sale.additional_data),
    is_test: 0 as const,
  };
}

/** Two requests with one fingerprint say the same of a payment; `occurred_at` may differ between retries. */
export function fingerprintOf(sale: SaleInput): string {
  const said = [
    sale.transaction_id,
    sale.amount_cents,
    sale.currency ?? 'USD',
    sale.customer_key ?? null,
    sale.click_id ?? null,
    sale.sale_type ?? 'payment',
    sale.is_recurring ?? false,
    sale.subscription_id ?? null,
    sale.subscription_interval ?? null,
    sale.product_id ?? null,
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}
