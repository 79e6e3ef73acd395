import { DAY_MS, isoTime } from '../domain/calendar.ts';
import { UNATTRIBUTED_REASONS } from '../processor/decision.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findFirstProgram, findProgram } from '../storage/programs/programs.ts';
import {
  findDueCharges,
  lockCharge,
  type ProcessorCharge,
  updateCharge,
} from '../storage/stripe/processor-charges.ts';
import { wasPaymentIgnored } from '../storage/stripe/processor-events.ts';
import { expandProcessorReferences, findSaleByReference } from '../storage/stripe/processor-refs.ts';
import { sumRefundsOfCharge } from '../storage/stripe/processor-refunds.ts';
import { attachReferences } from '../tracking/payment-references.ts';

const BATCH_SIZE = 100;
/** How long a refund waits for its payment before the advertiser is notified. */
const WARN_MS = DAY_MS;
/** How long after a failed check a refund is retried. Until then it does not block the others. */
const RETRY_MS = 600_000;

/**
 * Checks parked refunds twice. The first check, a minute after parking, finds a payment reference that
 * another process added at the same time. The second, after a day, notifies the advertiser of a refund that
 * still has no sale.
 * @returns whether more work may be due
 */
export async function checkParkedRefunds(runtime: Runtime): Promise<boolean> {
  const due = await findDueCharges(runtime.engine.read, runtime.now(), BATCH_SIZE);
  for (const { workspace_id, charge } of due) {
    const withLockedCharge = (
      act: (tx: Transaction, parked: ProcessorCharge, now: number) => Promise<unknown>,
    ) =>
      runtime.engine.write(workspace_id, async (tx) => {
        const locked = await lockCharge(tx, workspace_id, charge);
        const now = runtime.now();
        if (locked && locked.check_at !== null && locked.check_at <= now) await act(tx, locked, now);
      });
    await withLockedCharge((tx, parked, now) => check(tx, runtime, parked, now)).catch(
      async (error: unknown) => {
        runtime.log.error({ err: error, charge }, 'parked refund could not be checked; it will be retried');
        await withLockedCharge((tx, parked, now) => updateCharge(tx, parked, { check_at: now + RETRY_MS }));
      },
    );
  }
  return due.length === BATCH_SIZE;
}

async function check(tx: Transaction, runtime: Runtime, parked: ProcessorCharge, now: number): Promise<void> {
  const { workspace_id, charge, parked_at } = parked;
  const { refs } = await expandProcessorReferences(tx.db, workspace_id, [charge]);
  const sale = await findSaleByReference(tx.db, workspace_id, refs);
  if (sale) return attachReferences(tx, runtime, workspace_id, sale, refs);
  const isOverdue = now >= parked_at + WARN_MS;
  await updateCharge(tx, parked, { check_at: isOverdue ? null : parked_at + WARN_MS });
  if (!isOverdue) return;
  const isUnattributed = await wasPaymentIgnored(tx.db, workspace_id, refs, UNATTRIBUTED_REASONS);
  if (!isUnattributed) await warn(tx, parked, now);
}

/** Every notification belongs to a program: the refund's, or else the first one of the workspace. */
async function warn(tx: Transaction, parked: ProcessorCharge, now: number): Promise<void> {
  const { workspace_id, charge, program_id } = parked;
  const refundAmountCents = Math.max(parked.refunded_cents, await sumRefundsOfCharge(tx.db, parked));
  if (refundAmountCents === 0) return;
  const named = program_id === null ? null : await findProgram(tx.db, program_id);
  const program = named ?? (await findFirstProgram(tx.db, workspace_id));
  if (!program) return;
  await insertNotification(tx, {
    workspace_id,
    program_id: program.id,
    partner_id: null,
    kind: 'refund_parked',
    dedupe_key: `refund_parked:${workspace_id}:${charge}`,
    payload: JSON.stringify({
      charge,
      refundAmountCents,
      refundCurrency: parked.currency,
      parkedAt: isoTime(parked.parked_at),
    }),
    created_at: now,
  });
}
