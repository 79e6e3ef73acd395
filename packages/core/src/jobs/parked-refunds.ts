import { DAY_MS, isoTime } from '../domain/calendar.ts';
import { NO_PARTNERS_REASONS } from '../processor/decision.ts';
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
import { closeReferences, findByReference } from '../storage/stripe/processor-refs.ts';
import { attachReferences } from '../tracking/payment-references.ts';

const AT_ONCE = 100;
/** How long a refund waits for its payment before the advertiser is told. */
const WARN_MS = DAY_MS;
/** One that fails must not keep the others waiting. */
const RETRY_MS = 600_000;

/**
 * Looks once more for the sales of parked refunds soon after they were parked, for a reference that another process
 * added in the same moment, and a day later tells the advertiser of those that still have none.
 * @returns whether there may be more
 */
export async function checkParkedRefunds(runtime: Runtime): Promise<boolean> {
  const due = await findDueCharges(runtime.engine.read, runtime.now(), AT_ONCE);
  for (const { workspace_id, charge } of due) {
    const work = (act: (tx: Transaction, parked: ProcessorCharge, now: number) => Promise<unknown>) =>
      runtime.engine.write(workspace_id, async (tx) => {
        const locked = await lockCharge(tx, workspace_id, charge);
        const now = runtime.now();
        if (locked && locked.check_at !== null && locked.check_at <= now) await act(tx, locked, now);
      });
    await work((tx, parked, now) => check(tx, runtime, parked, now)).catch(async (error: unknown) => {
      runtime.log.error({ err: error, charge }, 'a parked refund could not be checked; it is tried again');
      await work((tx, parked, now) => updateCharge(tx, parked, { check_at: now + RETRY_MS }));
    });
  }
  return due.length === AT_ONCE;
}

async function check(tx: Transaction, runtime: Runtime, parked: ProcessorCharge, now: number): Promise<void> {
  const { workspace_id, charge, parked_at } = parked;
  const { refs } = await closeReferences(tx.db, workspace_id, [charge]);
  const sale = await findByReference(tx.db, workspace_id, refs);
  if (sale) return attachReferences(tx, runtime, workspace_id, sale, refs);
  const isOverdue = now >= parked_at + WARN_MS;
  await updateCharge(tx, parked, { check_at: isOverdue ? null : parked_at + WARN_MS });
  if (!isOverdue) return;
  const isNoPartners = await wasPaymentIgnored(tx.db, workspace_id, refs, NO_PARTNERS_REASONS);
  if (!isNoPartners) await warn(tx, parked, now);
}

/** A notification stands in a program: where the refund names none, in the workspace's first. */
async function warn(tx: Transaction, parked: ProcessorCharge, now: number): Promise<void> {
  const { workspace_id, charge, program_id } = parked;
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
      refundAmountCents: parked.refunded_cents,
      refundCurrency: parked.currency,
      parkedAt: isoTime(parked.parked_at),
    }),
    created_at: now,
  });
}
