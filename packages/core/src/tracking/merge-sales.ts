import { decideRejection } from '../domain/commission-status.ts';
import { proportion } from '../domain/money.ts';
import { isSubscription } from '../domain/processor-ref.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { type CommissionRow, findCommissionOfSale, findRefundOfSale } from '../storage/money/commissions.ts';
import { rejectLocked } from '../storage/money/reject-commission.ts';
import { findProgram } from '../storage/programs/programs.ts';
import { parkAgain } from '../storage/stripe/processor-charges.ts';
import { listHolders, moveReferences } from '../storage/stripe/processor-refs.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import { findSale, type SaleKey, type SaleRow } from '../storage/tracking/sales.ts';
import { makeOwedCommission } from './owed-commission.ts';
import { settleParkedRefunds } from './payment-references.ts';
import { refundSale } from './track-refund.ts';

interface Held extends SaleKey {
  readonly sale: SaleRow;
  readonly commission: CommissionRow | null;
}

/** What became of the duplicate's commission. */
type Done = 'rejected' | 'nothing_to_reject' | 'not_rejected';

/**
 * Makes one of the sales that hold ids of one payment: they were recorded before anything told that the ids belong
 * together. The later one is the duplicate, unless it alone earns, or it can no longer be undone and the other one can.
 * @returns the sale that stands, or null where no sale holds one of the ids
 */
export async function mergeSales(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  refs: readonly string[],
): Promise<SaleKey | null> {
  // A subscription has many payments: that two sales lead to it does not make them one.
  const telling = refs.filter((ref) => !isSubscription(ref));
  const [first, ...others] = await listHolders(tx.db, workspaceId, telling);
  if (!first) return null;
  let standing: SaleKey = first;
  for (const other of others) standing = await mergeTwo(tx, runtime, workspaceId, standing, other);
  return standing;
}

async function mergeTwo(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  first: SaleKey,
  later: SaleKey,
): Promise<SaleKey> {
  const [a, b] = [await load(tx, runtime, first), await load(tx, runtime, later)];
  const isLaterKept = (isBound(b) && isUndoable(a)) || (isEarning(b) && !isEarning(a));
  const [kept, duplicate] = isLaterKept ? [b, a] : [a, b];
  // None are left where another process was here first.
  if ((await moveReferences(tx, duplicate, kept)) === 0) return kept;
  let done: Done = isBound(duplicate) ? 'not_rejected' : 'nothing_to_reject';
  if (duplicate.commission && isUndoable(duplicate)) {
    await rejectLocked(tx, duplicate.commission, runtime.now());
    done = 'rejected';
  }
  await tell(tx, workspaceId, kept, duplicate, done, runtime.now());
  if (done === 'not_rejected') {
    await carryRefund(tx, duplicate, kept, runtime.now());
    await carryRefund(tx, kept, duplicate, runtime.now());
  }
  const charges = await parkAgain(tx, duplicate);
  await settleParkedRefunds(tx, runtime, workspaceId, kept, charges);
  return { programId: kept.programId, saleId: kept.saleId };
}

async function load(tx: Transaction, runtime: Runtime, taken: SaleKey): Promise<Held> {
  const { programId, saleId } = taken;
  const program = await findProgram(tx.db, programId);
  const sale = await findSale(tx.db, programId, saleId);
  if (!sale)
    throw new Error(`Sale ${saleId} of program ${programId} is held by references, but is not there`);
  const commission =
    (await findCommissionOfSale(tx, programId, saleId)) ??
    (program && (await makeOwedCommission(tx, program, sale, runtime.now())));
  return { programId, saleId, sale, commission };
}

/** Both commissions of a payment stay: what was given back of it was taken from one of them, and is from the other. */
async function carryRefund(tx: Transaction, from: Held, to: Held, now: number): Promise<void> {
  const refund = await findRefundOfSale(tx.db, from);
  const program = refund && (await findProgram(tx.db, to.programId));
  if (!program) return;
  const { refund_amount_cents: cents, reason, refund_at: refundAt } = refund;
  const isWhole = cents === null || cents >= from.sale.amount_cents;
  // The two sales may have been told with other amounts, or in other currencies.
  const amountCents = isWhole ? 0 : proportion(to.sale.amount_cents, cents, from.sale.amount_cents);
  await refundSale(tx, program, to.sale, { amountCents, reason }, { refundAt, now });
}

/** May its commission still be rejected? */
function isUndoable({ commission }: Held): boolean {
  return commission !== null && decideRejection(commission) === 'move';
}

/** Does it have a commission that was not rejected? */
function isEarning({ commission }: Held): boolean {
  return commission !== null && commission.status !== 'rejected';
}

/** Has its commission gone where no rejection follows? */
function isBound(held: Held): boolean {
  return isEarning(held) && !isUndoable(held);
}

async function tell(
  tx: Transaction,
  workspaceId: number,
  kept: Held,
  duplicate: Held,
  done: Done,
  now: number,
): Promise<void> {
  const note = (of: Held, other: Held, reason: string) =>
    addTraceNote(tx, {
      programId: of.programId,
      customerId: of.sale.customer_id,
      saleId: of.saleId,
      reason,
      detail: other.sale.processor_event_id,
      now,
    });
  await note(kept, duplicate, 'sale_recorded_twice');
  await note(duplicate, kept, `duplicate_sale_${done}`);
  await insertNotification(tx, {
    workspace_id: workspaceId,
    program_id: duplicate.programId,
    partner_id: null,
    kind: 'sale_recorded_twice',
    dedupe_key: `sale_recorded_twice:${duplicate.programId}:${duplicate.saleId}`,
    payload: JSON.stringify({
      transactionId: kept.sale.processor_event_id,
      duplicateTransactionId: duplicate.sale.processor_event_id,
      duplicateCommissionId: duplicate.commission?.id ?? null,
      done,
    }),
    created_at: now,
  });
}
