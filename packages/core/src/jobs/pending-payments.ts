import { applyPaymentEvent } from '../processor/apply-payment-event.ts';
import { decisionColumns } from '../processor/decision.ts';
import type { Payment } from '../processor/stripe-event.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { retryOnConflict } from '../storage/database/retry-on-conflict.ts';
import {
  deletePendingPayment,
  findDuePayments,
  lockPendingPayment,
  type PendingPayment,
  postponePayment,
} from '../storage/stripe/pending-payments.ts';
import { lockProcessorEvent, saveProcessorEvent } from '../storage/stripe/processor-events.ts';

const PENDING_PAYMENT_BATCH_SIZE = 100;
/** If a payment cannot be recorded, it is retried after this time. Until then, it does not block other payments. */
const PENDING_PAYMENT_RETRY_MS = 60_000;

/**
 * Records payments that have waited too long for the event of their checkout session or invoice, which has
 * more details. The sale then contains only the details in the payment's own event.
 * @returns whether more work may be due
 */
export async function recordPendingPayments(runtime: Runtime): Promise<boolean> {
  const due = await findDuePayments(runtime.engine.read, runtime.now(), PENDING_PAYMENT_BATCH_SIZE);
  for (const key of due) {
    const withLockedPayment = (act: (tx: Transaction, payment: PendingPayment) => Promise<void>) =>
      retryOnConflict(runtime.engine, key.workspace_id, async (tx) => {
        const pending = await lockPendingPayment(tx, key);
        if (pending && pending.due_at <= runtime.now()) await act(tx, pending);
      });
    try {
      await withLockedPayment((tx, pending) => recordPendingPayment(tx, runtime, pending));
    } catch (error) {
      runtime.log.error(
        { err: error, event: key.event_id },
        'payment could not be recorded; it will be retried',
      );
      await withLockedPayment((tx, pending) =>
        postponePayment(tx, pending, runtime.now() + PENDING_PAYMENT_RETRY_MS),
      );
    }
  }
  return due.length === PENDING_PAYMENT_BATCH_SIZE;
}

async function recordPendingPayment(
  tx: Transaction,
  runtime: Runtime,
  pending: PendingPayment,
): Promise<void> {
  const { connection_id, event_id, workspace_id } = pending;
  const earlier = await lockProcessorEvent(tx, connection_id, event_id);
  const payment = JSON.parse(pending.payment) as Payment;
  const connection = { id: connection_id, workspace_id };
  const decision = await applyPaymentEvent(tx, runtime, connection, payment, pending.event_at, 'now');
  if (earlier) await saveProcessorEvent(tx, { ...earlier, ...decisionColumns(decision) }, [], earlier);
  await deletePendingPayment(tx, pending);
}
